import Checksums
import Foundation
import Gallery
import PhotoLibrary

/// Computes an upper bound of an archive's length before the archive is written. The photos are stored, the texts
/// have the length of their rendering, and deflating adds at most the result of zlib's `compressBound`.
struct PartSize {
  /// The bytes that a photo adds.
  struct Member {
    var photo = 0
    var name = 0
    var metadata: Int
    var isEntry = false
    /// The bytes of the pictures and of their names.
    var pictures: [(bytes: Int, name: Int)] = []
    /// At least the bytes of its element on a page of the gallery.
    var element = 0

    init(_ record: Metadata.PhotoRecord, _ item: (ExportPlan.Item, Metadata.ManifestEntry)?) {
      let manifest = item.map { [$0.1] } ?? []
      // the length of the second element of a list, which includes a comma
      metadata =
        Metadata().length(photos: [record, record], manifest: manifest + manifest)
        - Metadata().length(photos: [record], manifest: manifest)
      guard let (item, _) = item else { return }
      (photo, name, isEntry) = (item.size, item.entryName.utf8.count, true)
      pictures =
        [(item.thumbnail, item.thumbnailName), (item.view, item.viewName)].compactMap { picture, name in
          picture.map { ($0.bytes, name.utf8.count) }
        }
      // a byte of a name has at most six bytes as an entity, and three in a reference; a photo may begin a year
      element = 600 + 6 * item.photo.name.utf8.count + 6 * name
      if item.view != nil { element += 200 + 6 * item.photo.name.utf8.count + 3 * name }
    }
  }

  private var entries = 2
  private var items = 0
  private var pages = 0
  private let hasGallery: Bool
  private var metadata: Int
  private var checksums: Int
  private var photos = 0
  /// Bytes of headers and directory.
  private var records: Int

  /// Computes the size of an archive without photos.
  init(of plan: ExportPlan) {
    let number = Metadata.maximumParts
    let uuid = UUID()
    var document = plan.document(
      uuid: uuid, exportDate: Metadata.dates.lowerBound, fingerprint: ContentFingerprint(of: plan))
    document.smilepile?.part = Metadata.Part(set: uuid.uuidString, number: number, count: number)
    metadata = document.length(photos: [], manifest: [])
    let names = [MetadataEntries.metadataName, MetadataEntries.checksumsName].map(\.utf8.count)
    checksums = Self.checksumLine(names[0])
    records = names.reduce(Self.endOfDirectory) { $0 + Self.recordsOfEntry($1) }
    hasGallery = plan.gallery != nil
    guard hasGallery else { return }
    // the start page with a card for each category, the page about it, the summary, and a page for each category
    entries += 3 + plan.categories.count
    pages =
      (3 + plan.categories.count) * Self.bytesOfPage
      + plan.categories.reduce(0) { $0 + 1000 + 20 * $1.displayName.utf8.count }
    for _ in 0..<3 + plan.categories.count { add(derived: 0, name: Self.bytesOfPageName) }
  }

  /// More than a page has without its photos.
  private static let bytesOfPage = 24 << 10
  /// More than a link to another page of a category has. A page has each of them twice.
  private static let bytesOfPageLink = 200
  /// More than the name of a page has.
  private static let bytesOfPageName = 32

  private mutating func add(derived bytes: Int, name: Int) {
    photos += bytes
    checksums += Self.checksumLine(name)
    records += Self.recordsOfEntry(name)
  }

  mutating func add(_ member: Member) {
    metadata += member.metadata
    guard member.isEntry else { return }
    entries += 1
    photos += member.photo
    checksums += Self.checksumLine(member.name)
    records += Self.recordsOfEntry(member.name)
    for picture in member.pictures {
      entries += 1
      add(derived: picture.bytes, name: picture.name)
    }
    guard hasGallery else { return }
    items += 1
    pages += member.element
    let (fullPages, rest) = items.quotientAndRemainder(dividingBy: Gallery.photosOnPage)
    guard rest == 0 else { return }
    entries += 1
    // the other pages of the category link the new one, which links them and itself
    pages += Self.bytesOfPage + 2 * 2 * (fullPages + 1) * Self.bytesOfPageLink
    add(derived: 0, name: Self.bytesOfPageName)
  }

  /// Uncompressed bytes of all entries.
  var uncompressedBytes: Int { photos + metadata + checksums + pages }

  /// Bytes of the file.
  var archiveBytes: Int {
    photos + records + Self.deflated(metadata) + Self.deflated(checksums) + Self.deflated(pages)
  }

  func fits(_ limits: PhoneLimits) -> Bool {
    entries <= limits.entries && uncompressedBytes <= limits.uncompressedBytes
      && archiveBytes <= limits.archiveBytes
  }

  /// MD5, two blanks, the name, a line feed.
  private static func checksumLine(_ name: Int) -> Int { 32 + 2 + name + 1 }

  /// The local header and the directory's record. APPNOTE 4.3.7, 4.3.12.
  private static func recordsOfEntry(_ name: Int) -> Int { 30 + name + 46 + name }

  /// APPNOTE 4.3.16.
  private static let endOfDirectory = 22

  /// zlib.h, `compressBound`.
  private static func deflated(_ count: Int) -> Int { count + count >> 12 + count >> 14 + count >> 25 + 13 }
}

extension Metadata {
  /// Bytes of the document with these photos and this manifest.
  fileprivate func length(photos: [PhotoRecord], manifest: [ManifestEntry]) -> Int {
    var count = 0
    write(photos: photos, manifest: manifest) { count += $0.count }
    return count
  }
}

extension ExportPlan {
  /// Returns the longest manifest entry that an item can get.
  func longestManifestEntry(_ item: Item) -> Metadata.ManifestEntry {
    let digest = RunningMD5().digest.description
    return Metadata.ManifestEntry(
      photoId: item.photo.id, originalPath: item.photo.originalPath, zipEntryName: item.entryName,
      fileName: item.fileName, fileSize: Int64(item.size), checksum: digest, expectedChecksum: digest)
  }
}
