import Foundation
import PhotoLibrary

/// Counts days in a time zone, up to a moment.
struct DayCount {
  private let today: CivilDay
  private let zone: TimeZone

  init(now: Date, _ calendar: Calendar) {
    zone = calendar.timeZone
    today = CivilDay(of: now.milliseconds, in: zone)
  }

  /// Returns how many midnights are between a time, in milliseconds since 1970, and now; negative for the future.
  func since(_ milliseconds: Int64) -> Int { today.number - CivilDay(of: milliseconds, in: zone).number }

  /// Returns the weekday of a date: 0 for Monday.
  func weekday(_ date: Date) -> Int { CivilDay(of: date.milliseconds, in: zone).weekday - 1 }

  /// Returns `today`, `yesterday`, or `12 days ago`; the date if it is in the future, since a clock was wrong.
  func ago(_ milliseconds: Int64) -> String {
    switch since(milliseconds) {
    case 0: "today"
    case 1: "yesterday"
    case let days where days > 1: "\(days) days ago"
    default: day(milliseconds)
    }
  }

  /// Returns the date: `2026-11-25`.
  func day(_ milliseconds: Int64) -> String { "\(CivilDay(of: milliseconds, in: zone))" }
}
