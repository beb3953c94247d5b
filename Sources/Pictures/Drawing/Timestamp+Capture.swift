package import Operations

/// When a photo was taken, according to its Exif header: the moment if the camera's clock shows UTC, or states its offset.
extension Timestamp {
  /// True if the time is not a whole second.
  package var hasFraction: Bool { seconds.milliseconds != 0 }

  /// Returns true if two headers can mean the same moment. A program that copies a photo may leave out the fraction of the
  /// second, or the offset from UTC, which is a multiple of a quarter of an hour.
  package func canBe(_ other: Timestamp) -> Bool {
    let difference = seconds.whole - other.seconds.whole
    guard difference.magnitude <= Self.greatestOffset, difference % Self.quarter == 0 else { return false }
    return !hasFraction || !other.hasFraction || seconds.milliseconds == other.seconds.milliseconds
  }

  /// In seconds.
  private static let quarter: Int64 = 900
  /// The difference between UTC−12 and UTC+14, in seconds.
  private static let greatestOffset: UInt64 = 26 * 3600
}
