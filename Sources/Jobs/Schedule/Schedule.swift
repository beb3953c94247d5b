import FileSystem

/// When a job runs: the frequencies and the times of the app's BackupSchedule.
///
/// All of it is time on the wall: 03:30 is 03:30 in summer and in winter.
package struct Schedule: Sendable, Hashable {
  /// How often.
  package enum Frequency: Sendable, Hashable {
    /// Every day.
    case daily
    /// Every week on a day.
    case weekly(Weekday)
    /// Every month on a day from 1 to 31; in a shorter month on its last day.
    case monthly(day: Int)
    /// Only when a person asks for it.
    case manual
  }

  /// How often.
  package let frequency: Frequency
  /// At what time of the day; midnight, and without a meaning, for a manual one.
  package let time: TimeOfDay

  /// Once a week is often enough to read archives back, and Sunday morning is when machines have the time.
  package static let defaultDrill = Schedule(checked: .weekly(.sunday), TimeOfDay(checked: 4, 30))

  /// Makes a schedule of its parts.
  ///
  /// - Throws: `ScheduleError.notADay` for a day that no month has.
  package init(_ frequency: Frequency, at time: TimeOfDay = .midnight) throws(ScheduleError) {
    switch frequency {
    case .monthly(let day) where !(1...31).contains(day): throw .notADay(day, of: "month", last: 31)
    default: self.init(checked: frequency, frequency == .manual ? .midnight : time)
    }
  }

  /// Makes a schedule of what a job file says.
  ///
  /// - Parameters:
  ///   - frequency: `daily`, `weekly`, `monthly` or `manual`.
  ///   - day: which day of the week, from 1, Monday, to 7, Sunday, or of the month; nil for the others. ISO 8601.
  ///   - time: `HH:mm`; nil for a manual one.
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
    case ("daily", _?), ("manual", _?): throw .needless("day", frequency)
    default: throw .notAFrequency(frequency)
    }
    guard kind != .manual else {
      if time != nil { throw .needless("time", frequency) }
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

/// Hours and minutes on the wall.
package struct TimeOfDay: Sendable, Hashable, CustomStringConvertible {
  /// 0 to 23.
  package let hour: Int
  /// 0 to 59.
  package let minute: Int

  /// 00:00.
  package static let midnight = TimeOfDay(checked: 0, 0)

  /// Reads `HH:mm`, two digits each, from 00:00 to 23:59; nil if it is none.
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
  /// For people: `every Sunday at 04:30`.
  package var description: String {
    switch frequency {
    case .daily: "every day at \(time)"
    case .weekly(let day): "every \(day) at \(time)"
    case .monthly(31): "on the last day of every month at \(time)"
    case .monthly(let day) where day > 28: "every month on day \(day), or its last, at \(time)"
    case .monthly(let day): "every month on day \(day) at \(time)"
    case .manual: "only by hand"
    }
  }
}

/// Why something is no schedule.
package enum ScheduleError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Not one of the four words.
  case notAFrequency(String)
  /// A day that there is not.
  case notADay(Int, of: String, last: Int)
  /// Not HH:mm.
  case notATime(String)
  /// Weekly or monthly, but on which day?
  case dayNeeded(String)
  /// At what time?
  case timeNeeded(String)
  /// A key that this frequency has no use for.
  case needless(String, String)

  /// One line with its remedy.
  package var description: String {
    switch self {
    case .notAFrequency(let text):
      "“\(text)” is no frequency; there are daily, weekly, monthly and manual".escaped
    case .notADay(let day, let period, let last):
      "a \(period) has no day \(day); give one from 1\(period == "week" ? " (Monday)" : "") to \(last)"
        + (period == "week" ? " (Sunday)" : "")
    case .notATime(let text):
      "“\(text)” is no time; give hours and minutes from 00:00 to 23:59, as 03:30".escaped
    case .dayNeeded(let frequency):
      frequency == "weekly"
        ? "weekly needs a day: Monday to Sunday, or 1 (Monday) to 7 (Sunday)"
        : "\(frequency) needs a day, from 1 to 31"
    case .timeNeeded(let frequency): "\(frequency) needs a time, as 03:30"
    case .needless(let key, let frequency): "\(frequency) has no use for a \(key); leave it out"
    }
  }
}
