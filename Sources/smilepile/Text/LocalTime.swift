import Foundation
import PhotoLibrary

/// Dates in the time zone of this machine, like schedules: `2026-11-24 02:30`.
struct LocalTime {
  private let style = Date.ISO8601FormatStyle(timeZone: .current)
    .year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false)

  /// Returns the date and the minute.
  func minute(_ date: Date) -> String { String(second(date).prefix(16)) }

  /// Returns the date and the second.
  func second(_ date: Date) -> String { String(date.formatted(style).prefix(19)) }
}

extension Int64 {
  /// The time in UTC of a number of milliseconds since 1970: `2026-11-24T01:30:00Z`.
  var time: String { Date(milliseconds: self).formatted(.iso8601) }
}
