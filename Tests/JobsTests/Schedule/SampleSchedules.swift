import Foundation
import Jobs

/// Schedules of every frequency, and time zones with unusual clock changes.
enum SampleSchedules {
  static let zones = [
    "UTC", "Europe/Berlin", "America/New_York",
    // daylight saving time of half an hour
    "Australia/Lord_Howe",
    // the clock goes forward at midnight, so that 00:00 does not exist
    "Asia/Beirut", "America/Havana", "America/Santiago",
    // the clock changes before and after Ramadan
    "Africa/Casablanca",
    "Asia/Kathmandu", "Pacific/Kiritimati",
  ]

  static let times = ["00:00", "01:59", "02:00", "02:15", "02:30", "03:00", "12:00", "23:59"]

  /// All frequencies but manual.
  static let frequencies: [Schedule.Frequency] =
    [.daily] + Weekday.allCases.map { .weekly($0) } + [1, 15, 28, 29, 30, 31].map { .monthly(day: $0) }

  static func schedule(_ frequency: Schedule.Frequency, _ time: String) -> Schedule {
    Schedule(frequency, at: TimeOfDay(time) ?? .midnight)
  }

  static func zone(_ name: String) throws -> TimeZone {
    guard let zone = TimeZone(identifier: name) else { throw CocoaError(.featureUnsupported) }
    return zone
  }

  /// All runs between two moments.
  static func runs(
    of schedule: Schedule, from start: Date, to end: Date, in zone: TimeZone,
    skipped: Schedule.SkippedTime = .isPassedOver
  ) -> [Date] {
    var runs: [Date] = []
    var date = start
    while let next = schedule.nextRun(after: date, in: zone, skipped: skipped), next < end {
      runs.append(next)
      date = next
    }
    return runs
  }

  static func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
}
