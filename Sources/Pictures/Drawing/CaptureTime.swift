import Foundation

/// When a photo was taken, according to its Exif header: in milliseconds since 1970 if the camera's clock shows UTC, or
/// states its offset.
package struct CaptureTime: Sendable, Equatable, Hashable {
  package let milliseconds: Int64

  /// Makes a time of milliseconds since 1970.
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// - Parameter date: a date that was read as UTC if its header states no offset.
  init(_ date: Date) { milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded()) }

  /// True if the time is not a whole second.
  package var hasFraction: Bool { milliseconds % 1000 != 0 }

  /// Returns true if two headers can mean the same moment. A program that copies a photo may leave out the fraction of the
  /// second, or the offset from UTC, which is a multiple of a quarter of an hour.
  package func canBe(_ other: CaptureTime) -> Bool {
    func second(_ time: CaptureTime) -> Int64 { Int64((Double(time.milliseconds) / 1000).rounded(.down)) }
    let seconds = second(self).subtractingReportingOverflow(second(other))
    guard !seconds.overflow, seconds.partialValue.magnitude <= Self.greatestOffset,
      seconds.partialValue % Self.quarter == 0
    else { return false }
    guard hasFraction, other.hasFraction else { return true }
    return (milliseconds - other.milliseconds) % 1000 == 0
  }

  /// In seconds.
  private static let quarter: Int64 = 900
  /// The difference between UTC−12 and UTC+14, in seconds.
  private static let greatestOffset: UInt64 = 26 * 3600
}
