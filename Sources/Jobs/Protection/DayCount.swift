import Foundation
import PhotoLibrary

/// Counts days in a time zone, up to a moment.
struct DayCount {
  private let today: CivilDay
  private let zone: TimeZone

  init(now: Date, _ calendar: Calendar) {
    zone = calendar.timeZone
    today = CivilDay(of: Timestamp(now), in: zone)
  }

  /// Returns how many midnights are between a time and now; negative for the future.
  func since(_ time: Timestamp) -> Int { today.number - CivilDay(of: time, in: zone).number }

  /// Returns the weekday of a date: 0 for Monday.
  func weekday(_ date: Date) -> Int { CivilDay(of: Timestamp(date), in: zone).weekday - 1 }

  /// Returns `today`, `yesterday`, or `12 days ago`; the date if it is in the future, since a clock was wrong.
  func ago(_ time: Timestamp) -> String {
    switch since(time) {
    case 0: "today"
    case 1: "yesterday"
    case let days where days > 1: "\(days) days ago"
    default: day(time)
    }
  }

  /// Returns the date: `2026-11-25`.
  func day(_ time: Timestamp) -> String { "\(CivilDay(of: time, in: zone))" }
}
