import Foundation

/// Counts days of a calendar, in a time zone, up to a moment.
struct DayCount {
  private let now: Date
  private let calendar: Calendar

  init(now: Date, _ calendar: Calendar) { (self.now, self.calendar) = (now, calendar) }

  /// Returns how many midnights are between a time, in milliseconds since 1970, and now; negative for the future.
  func since(_ milliseconds: Int64) -> Int {
    let (then, today) = (
      calendar.startOfDay(for: Date(milliseconds: milliseconds)), calendar.startOfDay(for: now)
    )
    return calendar.dateComponents([.day], from: then, to: today).day ?? 0
  }

  /// Returns the weekday of a date: 0 for Monday.
  func weekday(_ date: Date) -> Int {
    // Foundation counts from 1 for Sunday
    (calendar.component(.weekday, from: date) + 5) % 7
  }

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
  func day(_ milliseconds: Int64) -> String {
    let parts = calendar.dateComponents([.year, .month, .day], from: Date(milliseconds: milliseconds))
    func digits(_ value: Int?, _ count: Int) -> String {
      let text = "\(value ?? 0)"
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return "\(digits(parts.year, 4))-\(digits(parts.month, 2))-\(digits(parts.day, 2))"
  }
}
