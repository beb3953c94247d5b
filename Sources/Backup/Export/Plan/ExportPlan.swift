import Checksums
import Foundation
import Gallery
import Operations
import PhotoLibrary
import Pictures

/// What an export writes, decided before anything is written: a value that is complete when it is made. A dry run is
/// the plan itself, and so are the totals of an exact percentage.
package struct ExportPlan: Sendable {
  /// A photo whose file goes into the archive.
  package struct Item: Sendable {
    /// The row.
    package let photo: Photo
    /// The entry's name without its folder: `{photoId}_{file name}`, at most 255 UTF-8 bytes; `{photoId}.{extension}`
    /// in an encrypted archive, since ZIP does not encrypt names.
    package let fileName: String
    /// The current length of the file in bytes.
    package let size: Int
    /// The size of its thumbnail in the archive; nil if the archive has none.
    let thumbnail: PictureSize?
    /// The size of the picture that a click in the gallery opens; nil if a click opens the photo.
    let view: PictureSize?
    /// The entry's name.
    package var entryName: String { "photos/\(fileName)" }
    /// The name that the Android app's restore expects of a thumbnail's entry.
    var thumbnailName: String { "thumbnails/\(Self.thumbnailPrefix)\(fileName)" }
    /// The start of a thumbnail's name, before the name of the photo.
    static let thumbnailPrefix = "thumb_"
    /// The name of the entry of the picture that a click opens.
    var viewName: String { "gallery/view/\(photo.id).jpg" }
  }

  /// A photo whose file cannot be read, and why.
  package typealias Missing = (photo: Photo, reason: String)

  /// The categories, by position.
  package let categories: [PhotoLibrary.Category]
  /// The display name of each category, by ID.
  private let displayNames: [Int64: String]
  /// Every selected row by ID, including assets and photos without files.
  package private(set) var photos: [Photo]
  /// The photos whose files are stored in the archive itself, by ID.
  package private(set) var items: [Item]
  /// The photos whose files are missing or unreadable in the library, with the reasons. They keep their rows and get no
  /// entries. The base may have some of them.
  package private(set) var missing: [Missing]
  /// The photos whose files have another length or date than their rows, by ID, with the current ones. A program other
  /// than smilepile has modified these files.
  let modifiedFiles: [(photo: Photo, file: PhotoFile)]
  /// The settings; nil if the export leaves them out.
  package let settings: Settings?
  /// True if the export leaves out a part of the library.
  package private(set) var isPartial: Bool
  /// True if the archive is encrypted, so that its directory must not reveal anything.
  package let isEncrypted: Bool
  /// The library's ID.
  package let libraryID: String?
  /// The place of the archive among the exports of the library.
  package let history: ExportHistory
  /// The tags of the archive.
  package let tags: [String]
  /// What a person moved and removed in the library.
  package let movements: [Movement]
  /// The digest of the selection; nil for everything.
  let selectionDigest: String?
  /// The number of the archive in its set; nil for a single archive.
  package private(set) var part: Metadata.Part?
  /// How the archive depends on a base; nil for a full one.
  package private(set) var increment: PlannedIncrement?
  /// The appearance of the gallery; nil for none.
  let gallery: Gallery.Style?
  /// The most bytes of the name of a photo's entry. The name of its thumbnail is longer, and has 255 bytes at most.
  let fileNameLimit: Int

  /// Bytes of all photo files in the archive.
  package var bytes: Int { items.saturatedSum(\.size) }

  /// Makes the plan.
  ///
  /// - Parameters:
  ///   - library: a snapshot of the library.
  ///   - libraryID: the library's ID.
  ///   - history: the library's exports.
  ///   - options: what is selected, and how it is written.
  ///   - base: the archive that the export depends on; nil for a full export.
  ///   - thumbnails: the thumbnails that the archive gets, by the contents of their photos.
  ///   - views: the pictures that a click in the gallery opens instead of the photos, by the photos' contents.
  ///   - files: looks up the files of all photos that are not assets, or why they cannot be archived. Called once.
  /// - Throws: `LibraryError.noSuchCategory`, or what `files` throws.
  init(
    _ library: LibraryContents, of libraryID: String? = nil, history: ExportHistory = ExportHistory(),
    _ options: ExportOptions, base: ExportBase? = nil,
    thumbnails: [FileContent: PictureSize] = [:], views: [FileContent: PictureSize] = [:],
    files: ([Photo]) throws -> [Result<PhotoFile, MissingPhoto>]
  ) throws {
    categories = try library.categories.selected(by: options)
    let displayNames = Dictionary(
      categories.map { ($0.id, $0.displayName) }, uniquingKeysWith: { first, _ in first })
    self.displayNames = displayNames
    photos =
      !options.selectsSomePhotos
      ? library.photos
      : library.photos.filter { photo in
        displayNames[photo.categoryId] != nil && options.taken.contains(photo.createdAt)
      }
    settings = options.includesSettings ? library.settings : nil
    isPartial = options.selectsSomePhotos
    isEncrypted = options.password != nil
    (self.libraryID, self.history) = (libraryID, history)
    (tags, movements, gallery) = (options.tags, library.movements, options.gallery)
    selectionDigest = Self.selectionDigest(categories, options)
    fileNameLimit = FileName.maximumBytes - (thumbnails.isEmpty ? 0 : Item.thumbnailPrefix.utf8.count)
    var items: [Item] = []
    var missing: [Missing] = []
    var modifiedFiles: [(photo: Photo, file: PhotoFile)] = []
    let withFiles = photos.contains(where: \.isFromAssets) ? photos.filter { !$0.isFromAssets } : photos
    items.reserveCapacity(withFiles.count)
    for (photo, file) in zip(withFiles, try files(withFiles)) {
      switch file {
      case .success(let file):
        if base?.contains(photo) != true {
          let content = photo.md5.map { FileContent(md5: $0, size: file.size) }
          let fileName = Self.entryFileName(photo, isEncrypted: isEncrypted, limit: fileNameLimit)
          items.append(
            Item(
              photo: photo, fileName: fileName, size: file.size,
              thumbnail: content.flatMap { thumbnails[$0] }, view: content.flatMap { views[$0] }))
        }
        if file.size != photo.fileSize || file.modified != photo.createdAt {
          modifiedFiles.append((photo, file))
        }
      case .failure(let failure):
        missing.append((photo, failure.reason))
      }
    }
    (self.items, self.missing, self.modifiedFiles) = (items, missing, modifiedFiles)
    increment = base.map { PlannedIncrement($0, of: self) }
  }

  /// Returns the same plan without the files of some items, whose rows stay.
  func excluding(_ bad: [(index: Int, reason: String)]) -> ExportPlan {
    let indices = Set(bad.map(\.index))
    var plan = self
    plan.items = items.indices.filter { !indices.contains($0) }.map { items[$0] }
    plan.missing += bad.map { (items[$0.index].photo, $0.reason) }
    plan.missing.sort { $0.photo.id < $1.photo.id }
    return plan
  }

  /// Returns the plans of several archives. Each has every category and the settings, is partial, and does not depend on
  /// a base.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - set: the ID that they share.
  ///   - partIndex: the index of the part of each photo, by the photo's ID.
  func divided(into count: Int, set: UUID, partIndex: (Int64) -> Int) -> [ExportPlan] {
    var empty = self
    (empty.photos, empty.items, empty.missing) = ([], [], [])
    (empty.isPartial, empty.increment) = (true, nil)
    var parts = (1...count).map { number in
      var plan = empty
      plan.part = Metadata.Part(set: set.uuidString, number: number, count: count)
      return plan
    }
    for photo in photos { parts[partIndex(photo.id)].photos.append(photo) }
    for item in items { parts[partIndex(item.photo.id)].items.append(item) }
    for photo in missing { parts[partIndex(photo.photo.id)].missing.append(photo) }
    return parts
  }

  /// `{photoId}_{file name}`: unique by the ID, and made of characters that both apps accept.
  static func entryFileName(
    _ photo: Photo, isEncrypted: Bool = false, limit: Int = FileName.maximumBytes
  ) -> String {
    if isEncrypted { return "\(photo.id)\(plainExtension(of: photo.fileName))" }
    let prefix = "\(photo.id)_"
    // in NFC, since bsdtar extracts names in NFC, and md5sum would not find the names of checksums.md5
    let fileName = photo.fileName
    let isASCII = fileName.utf8.allSatisfy { $0 < 0x80 }
    let name = isASCII ? fileName : fileName.precomposedStringWithCanonicalMapping
    return prefix + FileName.safe(name, limit: limit - prefix.utf8.count)
  }

  /// `.jpg`, so that programs open an extracted photo. Empty if the extension is not 1 to 5 letters and digits, since a
  /// longer one may be a part of the name.
  private static func plainExtension(of name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
    let ending = name[dot...].dropFirst().lowercased()
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let isPlain = ending.utf8.allSatisfy { letters.contains($0) || $0.isDigit }
    return isPlain && (1...5).contains(ending.utf8.count) ? ".\(ending)" : ""
  }

  /// Returns the photos whose files have another length than recorded, or were modified after a moment.
  func photosToRecheck(modifiedAfter moment: Timestamp) -> [Photo] {
    modifiedFiles.filter { $0.file.size != $0.photo.fileSize || $0.file.modified > moment }.map(\.photo)
  }

  /// The photos whose files neither the library nor the base has.
  var missingEverywhere: [Missing] {
    guard let increment, !missing.isEmpty else { return missing }
    let ids = Set(increment.photosStoredInBase.map { photos[$0].id })
    return missing.filter { !ids.contains($0.photo.id) }
  }

  /// A finding for each photo of `missing`.
  var missingFindings: [Finding] {
    let lost = Set(missingEverywhere.map(\.photo.id))
    return missing.map { missing in
      let reason =
        lost.contains(missing.photo.id) ? missing.reason : "\(missing.reason); the base contains its file"
      return Finding(label(missing.photo), reason)
    }
  }

  /// Returns the label of a photo in messages.
  func label(_ photo: Photo) -> Finding.Subject {
    .photo(id: photo.id, category: category(of: photo) ?? "", name: photo.name)
  }

  /// Returns the displayed name of a photo's category.
  func category(of photo: Photo) -> String? { displayNames[photo.categoryId] }
}

extension [PhotoLibrary.Category] {
  /// Returns the categories that an export selects.
  func selected(by options: ExportOptions) throws(LibraryError) -> Self {
    options.categories.isEmpty ? self : try named(options.categories)
  }
}

extension ExportPlan {
  /// Returns the digest of a selection, nil for everything: equal for equal categories, dates and settings.
  static func selectionDigest(_ categories: [PhotoLibrary.Category], _ options: ExportOptions) -> String? {
    guard options.selectsSomePhotos || !options.includesSettings else { return nil }
    var parts = options.categories.isEmpty ? ["all"] : ["some"] + categories.map(\.name).sorted()
    parts += [
      options.taken.since.map(String.init) ?? "", options.taken.until.map(String.init) ?? "",
      options.includesSettings ? "settings" : "",
    ]
    var digest = RunningMD5()
    for part in parts {
      var text = "\(part.utf8.count):\(part)"
      text.withUTF8 { digest.update(UnsafeRawBufferPointer($0)) }
    }
    return digest.digest.description
  }
}
