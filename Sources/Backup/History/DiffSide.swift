import Checksums
import PhotoLibrary

/// What a backup or a library holds, as far as two of them are compared. Ids are left out, since they differ from phone
/// to phone.
public struct DiffSide: Sendable, Equatable {
  /// What makes two photos of one category the same.
  public enum Content: Hashable, Sendable {
    /// The MD5 of its file.
    case file(MD5Digest)
    /// An asset of the app, by its path there.
    case asset(String)
    /// A file of which only the photo's name and the length are known: in a JSON backup, or where a phone lost it.
    case unknown(name: String, size: Int)
  }

  /// A category.
  public struct Category: Sendable, Equatable {
    /// Its identity.
    public var name: String
    /// What the app shows.
    public var displayName: String
    /// Where it stands among the others.
    public var position = 0
    /// The name of an icon in the app.
    public var iconResource: String?
    /// "#RRGGBB".
    public var colorHex: String?
    /// Made by the app itself.
    public var isDefault = false
    /// When it was made, in milliseconds since 1970.
    public var createdAt: Int64 = 0

    /// A category with nothing special.
    public init(name: String, displayName: String) {
      self.name = name
      self.displayName = displayName
    }
  }

  /// A photo.
  public struct Photo: Sendable, Equatable {
    /// The `name` of its category.
    public var category: String
    /// What it shows.
    public var content: Content
    /// What the app shows of it.
    public var name: String
    /// The name that its file had where it came from.
    public var fileName: String
    /// When it was taken, in milliseconds since 1970.
    public var createdAt: Int64
    /// The length of its file in bytes; 0 for an asset.
    public var size: Int
    /// Its number on its side, for messages.
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

  /// In any order.
  public var categories: [Category]
  /// In any order.
  public var photos: [Photo]

  /// Makes a side of these parts.
  public init(categories: [Category], photos: [Photo]) {
    self.categories = categories
    self.photos = photos
  }
}

extension DiffSide {
  /// What a library holds, as an archive of it would say it.
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

  /// What a backup holds. A photo whose bytes had changed when the backup was made counts as what it was before, as in
  /// its library; one whose file another archive holds, as what that holds.
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
