extension Schedule {
  /// The values of `OnCalendar=` that together elapse when this schedule is due; none for a manual one.
  ///
  /// A day that not every month has takes two: one for the months that have it, and the last day of February
  /// (`~01` counts from the end). systemd.time(7).
  package var calendarExpressions: [String] {
    switch frequency {
    case .daily: ["*-*-* \(time):00"]
    case .weekly(let day): ["\(day.shortName) *-*-* \(time):00"]
    case .monthly(31): ["*-*~01 \(time):00"]
    case .monthly(let day) where day > 28: ["*-01,03..12-\(day) \(time):00", "*-02~01 \(time):00"]
    case .monthly(let day): ["*-*-\(TimeOfDay.twoDigits(day)) \(time):00"]
    case .manual: []
    }
  }

  /// When cron runs something: the five fields, and what else must hold.
  package struct CronTime: Sendable, Equatable {
    /// Minute, hour, day of the month, month, day of the week. crontab(5).
    package var fields: String
    /// A shell command that says by its status whether it is the day, for cron cannot count from a month's end.
    /// Not yet escaped for a crontab.
    package var condition: String?
  }

  /// Tomorrow is the first of a month: with GNU's date and with busybox's.
  static let isLastDay = #"[ "$(date -d "@$(($(date +%s) + 86400))" +%d)" = 01 ]"#

  /// The times that together make this schedule; none for a manual one.
  package var cronTimes: [CronTime] {
    let start = "\(time.minute) \(time.hour)"
    switch frequency {
    case .daily: return [CronTime(fields: "\(start) * * *")]
    // 0 is Sunday for every cron, 7 not for all
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
