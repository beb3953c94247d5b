import FileSystem

/// When a job runs: the frequencies and times of the app's BackupSchedule.
///
/// All times are local: 03:30 is 03:30 in summer and in winter.
package struct Schedule: Sendable, Hashable {
  /// How often a job runs.
  package enum Frequency: Sendable, Hashable {
    /// Every day.
    case daily
    /// Every week, on one day.
    case weekly(Weekday)
    /// Every month, on a day from 1 to 31. A shorter month runs the job on its last day.
    case monthly(day: Int)
    /// Only if the user starts the job.
    case manual
  }

  /// How often the job runs.
  package let frequency: Frequency
  /// The local time of day. A manual schedule has midnight, which is not used.
  package let time: TimeOfDay

  /// The default schedule of restore tests. One test a week is enough, and machines are idle on Sunday morning.
  package static let defaultForRestoreTests = Schedule(.weekly(.sunday), at: TimeOfDay(hour: 4, minute: 30))

  /// Makes a schedule from a frequency and a time.
  package init(_ frequency: Frequency, at time: TimeOfDay = .midnight) {
    self.frequency = frequency
    self.time = frequency == .manual ? .midnight : time
  }
}

/// A local time in hours and minutes.
package struct TimeOfDay: Sendable, Hashable, CustomStringConvertible {
  /// 0 to 23.
  package let hour: Int
  /// 0 to 59.
  package let minute: Int

  /// 00:00.
  package static let midnight = TimeOfDay(hour: 0, minute: 0)

  /// `HH:mm`.
  package var description: String { "\(hour.digits(2)):\(minute.digits(2))" }
}

extension TimeOfDay {
  /// Reads `HH:mm`, two digits each, from 00:00 to 23:59. Returns nil for any other text.
  package init?(_ text: String) {
    guard let parts = text.wholeMatch(of: /([0-9]{2}):([0-9]{2})/), let hour = Int(parts.1),
      let minute = Int(parts.2), hour < 24, minute < 60
    else { return nil }
    self.init(hour: hour, minute: minute)
  }
}

extension Schedule: CustomStringConvertible {
  /// The schedule for the user: `every Sunday at 04:30`.
  package var description: String {
    switch frequency {
    case .daily: "every day at \(time)"
    case .weekly(let day): "every \(day) at \(time)"
    case .monthly(31): "on the last day of every month at \(time)"
    case .monthly(let day) where day > 28: "every month on day \(day), or on the last day, at \(time)"
    case .monthly(let day): "every month on day \(day) at \(time)"
    case .manual: "manual"
    }
  }
}
