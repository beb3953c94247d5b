import Foundation
import PhotoLibrary

extension Schedule {
  /// How a scheduler handles a run whose time the clock skips that day because the clock is put forward.
  package enum SkippedTime: Sendable {
    /// The scheduler skips the run that day. systemd.time(7).
    case isPassedOver
    /// The scheduler starts the run as soon as the clock has been put forward, by up to three hours. cron(8).
    case runsAfterwards
  }

  /// Returns the time of the first run after a date; nil for a manual schedule.
  ///
  /// If the clock is put back and shows the time twice, the run is at the first occurrence.
  package func nextRun(after date: Date, in zone: TimeZone, skipped: SkippedTime = .isPassedOver) -> Date? {
    guard frequency != .manual else { return nil }
    let after = Int(date.timeIntervalSince1970.rounded(.down))
    let wall = after + zone.offset(at: after)
    let today = (wall - wall.modulo(86_400)) / 86_400
    // starts yesterday, since a clock may be put back over midnight; the longest pause is that of a monthly
    // run that is skipped twice
    for number in (today - 1)...(today + 100) {
      let day = CivilDay(number: number)
      guard isDue(on: day), let run = moment(on: day, in: zone, skipped), run > after else { continue }
      return Date(timeIntervalSince1970: Double(run))
    }
    return nil
  }

  /// Returns the days within the next year on which the clock skips the time of the run. systemd does not run
  /// the job on these days.
  package func skippedRuns(after date: Date, in zone: TimeZone) -> [String] {
    let first = Int(date.timeIntervalSince1970) / 86_400
    return (first..<(first + 365)).map { CivilDay(number: $0) }.filter { day in
      isDue(on: day) && moment(on: day, in: zone, .isPassedOver) == nil
    }.map(\.description)
  }

  /// True if the schedule has a run on the day.
  func isDue(on day: CivilDay) -> Bool {
    switch frequency {
    case .daily: true
    case .weekly(let weekday): day.weekday == weekday.rawValue
    case .monthly(let wanted): day.components.day == min(wanted, day.lastOfMonth)
    case .manual: false
    }
  }

  /// Returns the time of the run on a day, in seconds since 1970; nil if the clock skips the time.
  private func moment(on day: CivilDay, in zone: TimeZone, _ skipped: SkippedTime) -> Int? {
    let wall = day.number * 86_400 + time.hour * 3_600 + time.minute * 60
    let before = zone.offset(at: wall - 86_400)
    let after = zone.offset(at: wall + 86_400)
    let moments = [wall - before, wall - after].filter { $0 + zone.offset(at: $0) == wall }
    if let first = moments.min() { return first }
    guard skipped == .runsAfterwards, after - before <= 3 * 3_600 else { return nil }
    // the clock is put forward between these two times
    var (early, late) = (wall - after, wall - before)
    while late - early > 1 {
      let middle = (early + late) / 2
      if zone.offset(at: middle) == before { early = middle } else { late = middle }
    }
    return late
  }
}

extension TimeZone {
  /// Returns the offset of the local time from UTC, in seconds, at a time in seconds since 1970.
  fileprivate func offset(at moment: Int) -> Int {
    secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
  }
}
