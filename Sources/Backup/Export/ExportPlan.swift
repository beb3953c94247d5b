import Foundation
import PhotoLibrary

/// What an export writes, before it writes anything: a pure value, so that a dry run, and the totals that an exact
/// percentage needs, are the plan itself.
package struct ExportPlan: Sendable {
  /// A photo whose file goes into the archive.
  package struct Item: Sendable {
    /// The row.
    package var photo: Photo
    /// The entry's name without its folder: `{photoId}_{file name}`, at most 255 UTF-8 bytes; `{photoId}.{extension}`
    /// where names must not tell anything.
    package var fileName: String
    /// The bytes that the file has now.
    package var size: Int
    /// The entry's name.
    package var entryName: String { "photos/\(fileName)" }
  }

  /// A photo that keeps its row and gets no entry, and why.
  package struct Missing: Sendable {
    /// The row.
    package var photo: Photo
    /// Why its file cannot be archived.
    package var reason: String
  }

  /// A photo whose file somebody has touched.
  package struct Touched: Sendable {
    /// The photo's number.
    package var id: Int64
    /// The length and date that its file has now.
    package var file: PhotoFile
  }

  /// The categories, by position.
  package let categories: [PhotoLibrary.Category]
  /// What is shown of each, by its id.
  private let displayNames: [Int64: String]
  /// Every row that was selected, assets and photos without files too, by id.
  package internal(set) var photos: [Photo]
  /// The photos with files, by id.
  package var items: [Item]
  /// The photos without, in the library; of these, the base may hold some.
  package var missing: [Missing]
  /// Photos whose files have another length or date than they came with, by id: they may have changed.
  package var touched: [Touched] = []
  /// The settings, nil if they stay behind.
  package var settings: Settings?
  /// Part of the library was selected.
  package var isPartial: Bool
  /// The archive is encrypted, and what its directory shows tells nothing.
  package var isEncrypted: Bool
  /// The library's own number.
  package var library: String?
  /// What whoever exports calls it.
  package var tags: [String]
  /// What was selected, nil for everything: a number that is equal for equal selections.
  package var selection: String?
  /// Which of several archives this one is.
  package var part: Metadata.Part?
  /// What the archive rests on, nil if it holds every file itself.
  package internal(set) var base: ExportBase?
  /// The photos whose files the base's chain holds, by their places in `photos`: they get no entry.
  package internal(set) var held: [Int] = []
  /// Those of them whose files in the library somebody has touched since they were read for an archive.
  var suspects: [Photo] = []
  /// What was removed from the library since the base was made.
  var deletions: [Metadata.Deletion] = []

  /// Bytes of all photo files.
  package var bytes: Int { items.reduce(0) { $0 + $1.size } }

  /// Makes the plan.
  ///
  /// - Parameters:
  ///   - library: a snapshot of the library.
  ///   - options: what is selected, and how it is written.
  ///   - files: what is known of each photo's file, or why it cannot be archived; asked for once, for all that are no
  ///     assets.
  /// - Throws: `LibraryError.noSuchCategory`, or what `files` throws.
  package init(
    _ library: LibraryContents, _ options: ExportOptions,
    files: ([Photo]) throws -> [Result<PhotoFile, MissingPhoto>]
  ) throws {
    categories = try library.categories.selected(by: options)
    let displayNames = Dictionary(
      categories.map { ($0.id, $0.displayName) }, uniquingKeysWith: { first, _ in first })
    self.displayNames = displayNames
    photos =
      !options.isSelection
      ? library.photos
      : library.photos.filter { photo in
        displayNames[photo.categoryId] != nil
          && options.since.map { photo.createdAt >= $0 } ?? true
          && options.until.map { photo.createdAt < $0 } ?? true
      }
    settings = options.includesSettings ? library.settings : nil
    isPartial = options.isSelection
    isEncrypted = options.password != nil
    tags = options.tags
    selection = Self.selection(categories, options)
    items = []
    missing = []
    let withFiles = photos.contains(where: \.isFromAssets) ? photos.filter { !$0.isFromAssets } : photos
    items.reserveCapacity(withFiles.count)
    for (photo, file) in zip(withFiles, try files(withFiles)) {
      switch file {
      case .success(let file):
        items.append(
          Item(photo: photo, fileName: Self.entryFileName(photo, isEncrypted: isEncrypted), size: file.size))
        if file.size != photo.fileSize || file.modified != photo.createdAt {
          touched.append(Touched(id: photo.id, file: file))
        }
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

  /// Photos whose files somebody has touched after a moment, in milliseconds since 1970, or that have another length
  /// than they should.
  func suspects(since moment: Int64) -> [Photo] {
    let sizes = Dictionary(uniqueKeysWithValues: touched.map { ($0.id, $0.file) })
    guard !sizes.isEmpty else { return [] }
    return photos.filter { photo in
      guard let file = sizes[photo.id] else { return false }
      return file.size != photo.fileSize || file.modified > moment
    }
  }

  /// The photos whose files nothing holds, neither the library nor the base.
  var lost: [Missing] {
    guard !held.isEmpty, !missing.isEmpty else { return missing }
    let ids = Set(held.map { photos[$0].id })
    return missing.filter { !ids.contains($0.photo.id) }
  }

  func label(_ photo: Photo) -> String {
    PhotoLabel.label(id: photo.id, category: displayNames[photo.categoryId] ?? "", name: photo.name)
  }
}

extension [PhotoLibrary.Category] {
  /// Those that an export selects.
  func selected(by options: ExportOptions) throws(LibraryError) -> Self {
    options.categories.isEmpty ? self : try named(options.categories)
  }
}

/// What a look at a photo's file says, without reading it.
package struct PhotoFile: Sendable {
  /// Its length in bytes.
  package var size: Int
  /// Its date, in milliseconds since 1970.
  package var modified: Int64

  /// Makes a value.
  package init(size: Int, modified: Int64) { (self.size, self.modified) = (size, modified) }
}

/// Why a photo's file cannot be archived.
package struct MissingPhoto: Error, Sendable {
  /// In the words of a message.
  package var reason: String

  /// Makes a value.
  package init(_ reason: String) { self.reason = reason }
}
