import Foundation

extension Schedule {
  /// What becomes of a run whose time is on no clock that day, since it was put forward over it.
  package enum SkippedTime: Sendable {
    /// There is no run that day. systemd.time(7) does it so.
    case isPassedOver
    /// It runs as soon as the clock has been put forward, by up to three hours. cron(8) does it so.
    case runsAfterwards
  }

  /// The first run after a moment; nil for a manual schedule.
  ///
  /// Where the clock is put back and shows the time twice, the run is at the first.
  package func nextRun(after date: Date, in zone: TimeZone, skipped: SkippedTime = .isPassedOver) -> Date? {
    guard frequency != .manual else { return nil }
    let after = Int(date.timeIntervalSince1970.rounded(.down))
    let wall = after + zone.offset(at: after)
    let today = (wall - wall.modulo(86_400)) / 86_400
    // from yesterday on, since a clock may be put back over midnight; the longest pause is that of a monthly run
    // that is skipped, twice
    for number in (today - 1)...(today + 100) {
      let day = CivilDay(number: number)
      guard isDue(on: day), let run = moment(on: day, in: zone, skipped), run > after else { continue }
      return Date(timeIntervalSince1970: Double(run))
    }
    return nil
  }

  /// The days within the next year on which no clock shows the time of the run, so that systemd runs nothing.
  package func skippedRuns(after date: Date, in zone: TimeZone) -> [String] {
    let first = Int(date.timeIntervalSince1970) / 86_400
    return (first..<(first + 365)).map { CivilDay(number: $0) }.filter { day in
      isDue(on: day) && moment(on: day, in: zone, .isPassedOver) == nil
    }.map { day in
      let (year, month, day) = day.components
      return "\(year)-\(TimeOfDay.twoDigits(month))-\(TimeOfDay.twoDigits(day))"
    }
  }

  /// Whether there is a run on a day.
  func isDue(on day: CivilDay) -> Bool {
    switch frequency {
    case .daily: true
    case .weekly(let weekday): day.weekday == weekday.rawValue
    case .monthly(let wanted): day.components.day == min(wanted, day.lastOfMonth)
    case .manual: false
    }
  }

  /// The moment of the run on a day, in seconds since 1970.
  private func moment(on day: CivilDay, in zone: TimeZone, _ skipped: SkippedTime) -> Int? {
    let wall = day.number * 86_400 + time.hour * 3_600 + time.minute * 60
    let before = zone.offset(at: wall - 86_400)
    let after = zone.offset(at: wall + 86_400)
    let moments = [wall - before, wall - after].filter { $0 + zone.offset(at: $0) == wall }
    if let first = moments.min() { return first }
    guard skipped == .runsAfterwards, after - before <= 3 * 3_600 else { return nil }
    // the clock was put forward between these two
    var (early, late) = (wall - after, wall - before)
    while late - early > 1 {
      let middle = (early + late) / 2
      if zone.offset(at: middle) == before { early = middle } else { late = middle }
    }
    return late
  }
}

extension TimeZone {
  /// Seconds that its clocks are ahead of UTC, at seconds since 1970.
  fileprivate func offset(at moment: Int) -> Int {
    secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
  }
}
