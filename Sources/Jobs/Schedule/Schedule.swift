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
  package static let defaultDrill = Schedule(checked: .weekly(.sunday), TimeOfDay(checked: 4, 30))

  /// Makes a schedule from a frequency and a time.
  ///
  /// - Throws: `ScheduleError.notADay` for a day that no month has.
  package init(_ frequency: Frequency, at time: TimeOfDay = .midnight) throws(ScheduleError) {
    switch frequency {
    case .monthly(let day) where !(1...31).contains(day): throw .notADay(day, of: "month", last: 31)
    default: self.init(checked: frequency, frequency == .manual ? .midnight : time)
    }
  }

  /// Makes a schedule from the keys of a job file.
  ///
  /// - Parameters:
  ///   - frequency: `daily`, `weekly`, `monthly` or `manual`.
  ///   - day: the day of the week, from 1 (Monday) to 7 (Sunday), or the day of the month; nil for other
  ///     frequencies. ISO 8601.
  ///   - time: `HH:mm`; nil for a manual schedule.
  package init(frequency: String, day: Int?, time: String?) throws(ScheduleError) {
    let kind: Frequency
    switch (frequency, day) {
    case ("weekly", let day?):
      guard let weekday = Weekday(rawValue: day) else { throw .notADay(day, of: "week", last: 7) }
      kind = .weekly(weekday)
    case ("monthly", let day?): kind = .monthly(day: day)
    case ("weekly", nil), ("monthly", nil): throw .dayNeeded(frequency)
    case ("daily", nil): kind = .daily
    case ("manual", nil): kind = .manual
    case ("daily", _?), ("manual", _?): throw .unusedKey("day", frequency)
    default: throw .notAFrequency(frequency)
    }
    guard kind != .manual else {
      if time != nil { throw .unusedKey("time", frequency) }
      try self.init(kind)
      return
    }
    guard let time else { throw .timeNeeded(frequency) }
    guard let parsed = TimeOfDay(time) else { throw .notATime(time) }
    try self.init(kind, at: parsed)
  }

  private init(checked frequency: Frequency, _ time: TimeOfDay) {
    self.frequency = frequency
    self.time = time
  }
}

/// A local time in hours and minutes.
package struct TimeOfDay: Sendable, Hashable, CustomStringConvertible {
  /// 0 to 23.
  package let hour: Int
  /// 0 to 59.
  package let minute: Int

  /// 00:00.
  package static let midnight = TimeOfDay(checked: 0, 0)

  /// Reads `HH:mm`, two digits each, from 00:00 to 23:59. Returns nil for any other text.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let isDigits = parts.allSatisfy { part in
      part.count == 2 && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    guard parts.count == 2, isDigits, let hour = Int(Substring(parts[0])),
      let minute = Int(Substring(parts[1])),
      hour < 24, minute < 60
    else { return nil }
    self.init(checked: hour, minute)
  }

  init(checked hour: Int, _ minute: Int) {
    self.hour = hour
    self.minute = minute
  }

  /// `HH:mm`.
  package var description: String { "\(Self.twoDigits(hour)):\(Self.twoDigits(minute))" }

  static func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
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

/// Why a schedule is invalid.
package enum ScheduleError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The frequency is not one of the four words.
  case notAFrequency(String)
  /// The week or month does not have the day.
  case notADay(Int, of: String, last: Int)
  /// The time is not HH:mm.
  case notATime(String)
  /// A weekly or monthly schedule has no day.
  case dayNeeded(String)
  /// The schedule has no time.
  case timeNeeded(String)
  /// The key does not apply to the frequency.
  case unusedKey(String, String)

  /// Describes the error and its remedy in one line.
  package var description: String {
    switch self {
    case .notAFrequency(let text):
      "“\(text)” is not a frequency; use daily, weekly, monthly or manual".escaped
    case .notADay(let day, let period, let last):
      "a \(period) has no day \(day); write a number from 1\(period == "week" ? " (Monday)" : "") to \(last)"
        + (period == "week" ? " (Sunday)" : "")
    case .notATime(let text):
      "“\(text)” is not a time; write hours and minutes, for example 03:30".escaped
    case .dayNeeded(let frequency):
      frequency == "weekly"
        ? "weekly needs a day: Monday to Sunday, or 1 (Monday) to 7 (Sunday)"
        : "\(frequency) needs a day, from 1 to 31"
    case .timeNeeded(let frequency): "\(frequency) needs a time, for example 03:30"
    case .unusedKey(let key, let frequency): "\(frequency) does not use \(key); remove “\(key)”"
    }
  }
}
