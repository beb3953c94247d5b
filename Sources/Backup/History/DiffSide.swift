import Checksums
import PhotoLibrary

/// The content of a backup or a library, as far as a diff compares it. Ids are not compared, since they differ
/// between phones.
public struct DiffSide: Sendable, Equatable {
  /// The identity of a photo in its category.
  public enum Content: Hashable, Sendable {
    /// A file, by its MD5.
    case file(MD5Digest)
    /// An asset of the app, by its path there.
    case asset(String)
    /// A file with an unknown MD5, by the photo's name and the length: in a JSON backup, or if the phone lost the
    /// file.
    case unknown(name: String, size: Int)
  }

  /// A category.
  public struct Category: Sendable, Equatable {
    /// The identity of the category.
    public var name: String
    /// The name that the app shows.
    public var displayName: String
    /// The position among the categories.
    public var position = 0
    /// The name of an icon in the app.
    public var iconResource: String?
    /// "#RRGGBB".
    public var colorHex: String?
    /// True if the app itself made the category.
    public var isDefault = false
    /// When the category was made, in milliseconds since 1970.
    public var createdAt: Int64 = 0

    /// Makes a category with default values.
    public init(name: String, displayName: String) {
      self.name = name
      self.displayName = displayName
    }
  }

  /// A photo.
  public struct Photo: Sendable, Equatable {
    /// The `name` of its category.
    public var category: String
    /// The identity of the content.
    public var content: Content
    /// The name that the app shows.
    public var name: String
    /// The original name of the file.
    public var fileName: String
    /// When the photo was taken, in milliseconds since 1970.
    public var createdAt: Int64
    /// The length of the file in bytes; 0 for an asset.
    public var size: Int
    /// The id of the photo on its side, for messages.
    public var id: Int64

    /// Makes a photo of these parts.
    public init(
      category: String, content: Content, name: String, fileName: String, createdAt: Int64, size: Int,
      id: Int64
    ) {
      self.category = category
      self.content = content
      self.name = name
      self.fileName = fileName
      self.createdAt = createdAt
      self.size = size
      self.id = id
    }
  }

  /// The categories, in any order.
  public var categories: [Category]
  /// The photos, in any order.
  public var photos: [Photo]

  /// Makes a side of these parts.
  public init(categories: [Category], photos: [Photo]) {
    self.categories = categories
    self.photos = photos
  }
}

extension DiffSide {
  /// Describes a library in the values that an archive of it would have.
  public init(_ library: LibraryContents) {
    categories = library.categories.map { category in
      var side = Category(name: category.name, displayName: category.displayName)
      side.position = category.position.clamped(to: Metadata.positions)
      side.iconResource = category.iconResource
      side.colorHex = category.colorHex
      side.isDefault = category.isDefault
      side.createdAt = category.createdAt.clamped(to: Metadata.dates)
      return side
    }
    let names = Dictionary(
      library.categories.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    photos = library.photos.map { photo in
      Photo(
        category: names[photo.categoryId] ?? "",
        content: photo.md5.map { .file($0) } ?? .asset(photo.path), name: photo.name,
        fileName: photo.fileName, createdAt: photo.createdAt.clamped(to: Metadata.dates),
        size: photo.isFromAssets ? 0 : photo.fileSize, id: photo.id)
    }
  }

  /// Describes a backup. A photo that was already corrupt when the backup was made has the MD5 that the library
  /// recorded. A photo that is stored in the base has the MD5 of the file there.
  init(_ backup: OpenedBackup) {
    categories = backup.metadata.categories.map { category in
      var side = Category(
        name: category.name.precomposedStringWithCanonicalMapping, displayName: category.displayName)
      side.position = category.position
      side.iconResource = category.iconResource
      side.colorHex = category.colorHex
      side.isDefault = category.isDefault
      side.createdAt = category.createdAt
      return side
    }
    let names = Dictionary(
      zip(backup.metadata.categories.map(\.id), categories.map(\.name)),
      uniquingKeysWith: { first, _ in first })
    photos = backup.photos.map { photo in
      let record = photo.record
      let isAsset = record.isFromAssets
      let size = isAsset ? 0 : photo.location.size ?? Int(record.fileSize)
      let md5 = photo.originalMD5 ?? photo.location.md5
      return Photo(
        category: names[record.categoryId] ?? "",
        content: isAsset
          ? .asset(record.path) : md5.map { .file($0) } ?? .unknown(name: record.name, size: size),
        name: record.name, fileName: photo.fileName, createdAt: record.createdAt, size: size, id: record.id)
    }
  }
}
