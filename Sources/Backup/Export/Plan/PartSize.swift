import Foundation
import Gallery
import Operations
import PhotoLibrary

/// An upper bound of an archive's size before the archive is written: of its file and of its uncompressed entries alike.
///
/// The bounds are generous, since the texts of an archive are small beside its photos. The number of entries is exact except
/// for the pages of a gallery.
struct PartSize {
  /// What a photo adds.
  struct Member {
    var entries = 0
    var bytes: Int

    /// - Parameter item: the photo's file; nil if it has no entry.
    init(_ photo: Photo, _ item: ExportPlan.Item?, hasGallery: Bool) {
      let texts = [photo.name, photo.originalPath, item?.entryName ?? photo.path]
        .saturatedSum(\.utf8.count)
      // The keys and numbers of the rows have 641 bytes, and a byte of a text has at most six as an escape. The name of
      // an entry is never escaped. It is in the rows three times, in the list of checksums once, in the ZIP records
      // twice.
      bytes = PartSize.overhead + 8 * texts
      guard let item else { return }
      let pictures = [item.thumbnail, item.view].compactMap(\.self)
      entries = 1 + pictures.count
      bytes += item.size + pictures.saturatedSum(\.bytes) + pictures.count * PartSize.overhead
      // a byte of a name has at most six bytes as an entity, and three in a reference; a photo may begin a year
      if hasGallery { bytes += PartSize.overhead + 12 * texts }
    }
  }

  private var entries = 2
  private var bytes: Int
  private var items = 0
  private let hasGallery: Bool

  /// Computes the size of an archive without photos.
  init(of plan: ExportPlan) {
    let number = Metadata.maximumParts
    let uuid = UUID()
    var document = plan.document(
      uuid: uuid, exportDate: Metadata.dates.lowerBound, fingerprint: ContentFingerprint(of: plan))
    document.smilepile?.part = Metadata.Part(set: uuid.uuidString, number: number, count: number)
    let count = document.json().count
    // deflating a text that cannot be compressed makes it longer by less than a thousandth: zlib.h, `compressBound`
    bytes = count + count >> 10 + Self.overhead
    hasGallery = plan.gallery != nil
    guard hasGallery else { return }
    // the start page with a card for each category, the page about it, the summary, and a page for each category
    entries += 3 + plan.categories.count
    bytes += (3 + plan.categories.count) * Self.bytesOfPage
    for category in plan.categories { bytes += Self.overhead + 20 * category.displayName.utf8.count }
  }

  /// More than an entry adds to ZIP records and checksums, whatever its name; and more than the rows of a photo have
  /// without their texts.
  private static let overhead = 1 << 10
  /// More than a page has without its photos, with its entry.
  private static let bytesOfPage = 25 << 10
  /// More than a link to another page of a category has. A page has each of them twice.
  private static let bytesOfPageLink = 200

  mutating func add(_ member: Member) {
    entries += member.entries
    bytes += member.bytes
    guard hasGallery, member.entries > 0 else { return }
    items += 1
    let (fullPages, rest) = items.quotientAndRemainder(dividingBy: Gallery.photosOnPage)
    guard rest == 0 else { return }
    entries += 1
    // the other pages of the category link the new one, which links them and itself
    bytes += Self.bytesOfPage + 2 * 2 * (fullPages + 1) * Self.bytesOfPageLink
  }

  func fits(_ limits: PhoneLimits) -> Bool {
    entries <= limits.entries && bytes <= min(limits.uncompressedBytes, limits.archiveBytes)
  }
}
