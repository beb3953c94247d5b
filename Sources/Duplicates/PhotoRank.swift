internal import PhotoLibrary
internal import Pictures

/// The order of similar photos, best first: most pixels, then the largest file, then a date in the header, then the older
/// one, then the lower ID.
package struct PhotoRank: Sendable, Comparable {
  /// Why a photo is better than another one. The value completes a sentence about the photo.
  package enum Reason: String, Sendable, CaseIterable {
    case mostPixels = "most pixels"
    case largestFile = "largest file"
    case dateInHeader = "date in its header"
    case oldest = "oldest"
    case lowestID = "lowest ID"
  }

  private let pixels: Int
  private let bytes: Int
  private let hasDate: Bool
  private let createdAt: Timestamp
  private let id: Int64

  /// - Parameters:
  ///   - pixels: the number of pixels that were decoded. The size in the library may come from a backup, and be unknown.
  ///   - captured: when the photo was taken, according to its header.
  init(_ photo: Photo, pixels: Int, captured: Timestamp?) {
    self.pixels = pixels
    bytes = photo.fileSize
    hasDate = captured != nil
    (createdAt, id) = (photo.createdAt, photo.id)
  }

  /// True if the first photo is better.
  package static func < (one: PhotoRank, other: PhotoRank) -> Bool {
    one.reason(over: other) != nil
  }

  /// Returns the first property in which this photo is better; nil if the other one is better, or the same.
  package func reason(over other: PhotoRank) -> Reason? {
    if pixels != other.pixels { return pixels > other.pixels ? .mostPixels : nil }
    if bytes != other.bytes { return bytes > other.bytes ? .largestFile : nil }
    if hasDate != other.hasDate { return hasDate ? .dateInHeader : nil }
    if createdAt != other.createdAt { return createdAt < other.createdAt ? .oldest : nil }
    return id < other.id ? .lowestID : nil
  }
}
