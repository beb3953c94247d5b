import Foundation

extension Date {
  /// Milliseconds since 1970, as in the apps. Dates beyond the range of `Int64` are clamped.
  public var milliseconds: Int64 {
    // rounds, since `Date` has a binary fraction of a second, which can be slightly too small
    let value = (timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }

  /// Makes a date of milliseconds since 1970.
  public init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
