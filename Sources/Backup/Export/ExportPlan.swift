import Foundation
import PhotoLibrary

/// What an export writes, before it writes anything: a pure value, so that a dry run, and the totals that an exact
/// percentage needs, are the plan itself.
public struct ExportPlan: Sendable {
  /// A photo whose file goes into the archive.
  public struct Item: Sendable {
    /// The row.
    public var photo: Photo
    /// The entry's name without its folder: `{photoId}_{file name}`, at most 255 UTF-8 bytes; `{photoId}.{extension}`
    /// where names must not tell anything.
    public var fileName: String
    /// The bytes that the file has now.
    public var size: Int
    /// The entry's name.
    public var entryName: String { "photos/\(fileName)" }
  }

  /// A photo that keeps its row and gets no entry, and why.
  public struct Missing: Sendable {
    /// The row.
    public var photo: Photo
    /// Why its file cannot be archived.
    public var reason: String
  }

  /// The categories, by position.
  public var categories: [PhotoLibrary.Category]
  /// Every row that was selected, assets and photos without files too, by id.
  public var photos: [Photo]
  /// The photos with files, by id.
  public var items: [Item]
  /// The photos without.
  public var missing: [Missing]
  /// The settings, nil if they stay behind.
  public var settings: Settings?
  /// Part of the library was selected.
  public var isPartial: Bool
  /// The archive is encrypted, and what its directory shows tells nothing.
  public var isEncrypted: Bool
  /// The library's own number.
  public var library: String?
  /// What whoever exports calls it.
  public var tags: [String]

  /// Bytes of all photo files.
  public var bytes: Int { items.reduce(0) { $0 + $1.size } }

  /// Makes the plan.
  ///
  /// - Parameter sizes: the length of each photo's file, or why it cannot be archived; asked for once, for all
  ///   that are no assets.
  /// - Throws: `LibraryError.noSuchCategory`, or what `sizes` throws.
  public init(
    _ library: LibraryContents, _ options: ExportOptions,
    sizes: ([Photo]) throws -> [Result<Int, MissingPhoto>]
  ) throws {
    categories =
      options.categories.isEmpty ? library.categories : try library.categories(named: options.categories)
    let selected = Set(categories.map(\.id))
    photos =
      !options.isSelection
      ? library.photos
      : library.photos.filter { photo in
        selected.contains(photo.categoryId)
          && options.since.map { photo.createdAt >= $0 } ?? true
          && options.until.map { photo.createdAt < $0 } ?? true
      }
    settings = options.includesSettings ? library.settings : nil
    isPartial = options.isSelection
    isEncrypted = options.password != nil
    tags = options.tags
    items = []
    missing = []
    let withFiles = photos.contains(where: \.isFromAssets) ? photos.filter { !$0.isFromAssets } : photos
    items.reserveCapacity(withFiles.count)
    for (photo, size) in zip(withFiles, try sizes(withFiles)) {
      switch size {
      case .success(let size):
        items.append(
          Item(photo: photo, fileName: Self.entryFileName(photo, isEncrypted: isEncrypted), size: size))
      case .failure(let failure):
        missing.append(Missing(photo: photo, reason: failure.reason))
      }
    }
  }

  /// `{photoId}_{file name}`: unique by the id, so that the apps find it, and of letters that both apps take.
  static func entryFileName(_ photo: Photo, isEncrypted: Bool = false) -> String {
    if isEncrypted { return "\(photo.id)\(plainExtension(of: photo.fileName))" }
    let prefix = "\(photo.id)_"
    // in NFC, since bsdtar brings names into it while it unpacks, and checksums.md5 would not find them
    let fileName = photo.fileName
    let isASCII = fileName.utf8.allSatisfy { $0 < 0x80 }
    let name = isASCII ? fileName : fileName.precomposedStringWithCanonicalMapping
    return prefix + FileName.safe(name, limit: FileName.maximumBytes - prefix.utf8.count)
  }

  /// `.jpg`, so that an unpacked photo opens; nothing where the name has no short extension of letters and digits,
  /// for anything longer may be a part of the name.
  private static func plainExtension(of name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
    let ending = name[dot...].dropFirst().lowercased()
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let isPlain = ending.utf8.allSatisfy { letters.contains($0) || digits.contains($0) }
    return isPlain && (1...5).contains(ending.utf8.count) ? ".\(ending)" : ""
  }

  /// The same plan without some of its items, whose rows stay.
  func excluding(_ bad: [(index: Int, reason: String)]) -> ExportPlan {
    var plan = self
    let indices = Set(bad.map(\.index))
    plan.missing += bad.map { Missing(photo: items[$0.index].photo, reason: $0.reason) }
    plan.missing.sort { $0.photo.id < $1.photo.id }
    plan.items = items.enumerated().filter { !indices.contains($0.offset) }.map(\.element)
    return plan
  }

  func label(_ photo: Photo) -> String {
    let category = categories.first { $0.id == photo.categoryId }?.displayName ?? ""
    return PhotoLabel.label(id: photo.id, category: category, name: photo.name)
  }
}

/// Why a photo's file cannot be archived.
public struct MissingPhoto: Error, Sendable {
  /// In the words of a message.
  public var reason: String

  /// Makes a value.
  public init(_ reason: String) { self.reason = reason }
}
