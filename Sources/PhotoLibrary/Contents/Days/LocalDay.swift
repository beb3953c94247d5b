import Foundation

/// Writes days as `2025-10-03`, in the time zone of this machine.
package struct LocalDay: Sendable {
  private let timeZone = TimeZone.current

  package init() {}

  /// Returns the day of a moment in milliseconds since 1970.
  package func text(_ milliseconds: Int64) -> String { "\(CivilDay(of: milliseconds, in: timeZone))" }
}
