import Foundation

/// What pictures that look alike have in common, computed from the pixels of a thumbnail by `smilepile-pictures`.
package struct Fingerprint: Sendable, Equatable {
  /// The columns of the luma.
  package static let columns = 32
  /// The rows of the luma.
  package static let rows = 24
  /// The cells of the luma.
  package static let lumaCount = columns * rows

  /// The signs of the differences between neighbours of 9 × 8 cells (dHash).
  package let differenceHash: UInt64
  /// The lowest 8 × 8 coefficients of the cosine transform of 32 × 32 cells, compared with their median (pHash).
  package let frequencyHash: UInt64
  /// The mean luma of 32 × 24 cells, row by row.
  package let luma: [UInt8]

  /// Makes a fingerprint; nil if the luma has not `lumaCount` cells.
  package init?(differenceHash: UInt64, frequencyHash: UInt64, luma: [UInt8]) {
    guard luma.count == Self.lumaCount else { return nil }
    (self.differenceHash, self.frequencyHash, self.luma) = (differenceHash, frequencyHash, luma)
  }
}

/// When a photo was taken, according to its Exif header: in milliseconds since 1970 if the camera's clock shows UTC, or
/// states its offset.
package struct CaptureTime: Sendable, Equatable, Hashable {
  package let milliseconds: Int64

  /// Makes a time of milliseconds since 1970.
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// - Parameter date: a date that was read as UTC if its header states no offset.
  init(_ date: Date) { milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded()) }

  /// Returns true if two headers can mean the same moment. A program that copies a photo may leave out the fraction of the
  /// second, or the offset from UTC, which is a multiple of a quarter of an hour.
  package func canBe(_ other: CaptureTime) -> Bool {
    func isWhole(_ time: CaptureTime) -> Bool { time.milliseconds % 1000 == 0 }
    func second(_ time: CaptureTime) -> Int64 { Int64((Double(time.milliseconds) / 1000).rounded(.down)) }
    let seconds = second(self).subtractingReportingOverflow(second(other))
    guard !seconds.overflow, seconds.partialValue.magnitude <= Self.greatestOffset,
      seconds.partialValue % Self.quarter == 0
    else { return false }
    if isWhole(self) || isWhole(other) { return true }
    return (milliseconds - other.milliseconds) % 1000 == 0
  }

  /// In seconds.
  private static let quarter: Int64 = 900
  /// The difference between UTC−12 and UTC+14, in seconds.
  private static let greatestOffset: UInt64 = 26 * 3600
}
