import Foundation
import Operations

/// Times in the time zone of this machine, like schedules.
extension Timestamp {
  private static let localStyle = Date.ISO8601FormatStyle(timeZone: .current)
    .year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false)

  /// The date and the minute: `2026-11-24 02:30`.
  var localMinute: String { String(localSecond.prefix(16)) }

  /// The date and the second.
  var localSecond: String { String(date.formatted(Self.localStyle).prefix(19)) }
}
