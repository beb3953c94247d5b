import PhotoLibrary

extension Schedule {
  /// Returns the values of `OnCalendar=` that together elapse when this schedule is due; an empty array for a
  /// manual schedule.
  ///
  /// Day 29 or 30 takes two values: one for the months that have the day, one for the last day of February.
  /// `~01` counts from the end of the month. systemd.time(7).
  package var calendarExpressions: [String] {
    switch frequency {
    case .daily: ["*-*-* \(time):00"]
    case .weekly(let day): ["\(day.shortName) *-*-* \(time):00"]
    case .monthly(31): ["*-*~01 \(time):00"]
    case .monthly(let day) where day > 28: ["*-01,03..12-\(day) \(time):00", "*-02~01 \(time):00"]
    case .monthly(let day): ["*-*-\(day.digits(2)) \(time):00"]
    case .manual: []
    }
  }

  /// When cron runs a command: the five time fields, and a condition.
  package struct CronTime: Sendable, Equatable {
    /// Minute, hour, day of the month, month, day of the week. crontab(5).
    package var fields: String
    /// A shell command whose exit status tells whether today is the day. Cron cannot count from the end of a
    /// month. Not yet escaped for a crontab.
    package var condition: String?
  }

  /// Succeeds if tomorrow is the first of a month, with the `date` of GNU and of busybox.
  static let isLastDay = #"[ "$(date -d "@$(($(date +%s) + 86400))" +%d)" = 01 ]"#

  /// Returns the times that together make this schedule; an empty array for a manual schedule.
  package var cronTimes: [CronTime] {
    let start = "\(time.minute) \(time.hour)"
    switch frequency {
    case .daily: return [CronTime(fields: "\(start) * * *")]
    // every cron reads 0 as Sunday; some do not know 7
    case .weekly(let day): return [CronTime(fields: "\(start) * * \(day.rawValue % 7)")]
    case .monthly(let day) where day <= 28: return [CronTime(fields: "\(start) \(day) * *")]
    case .monthly(let day):
      let february = CronTime(fields: "\(start) 28,29 2 *", condition: Self.isLastDay)
      guard day == 31 else { return [CronTime(fields: "\(start) \(day) 1,3-12 *"), february] }
      return [
        CronTime(fields: "\(start) 31 1,3,5,7,8,10,12 *"), CronTime(fields: "\(start) 30 4,6,9,11 *"),
        february,
      ]
    case .manual: return []
    }
  }
}
