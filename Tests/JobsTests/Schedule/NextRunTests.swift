import Foundation
import Jobs
import TestSupport
import Testing

struct NextRunTests {
  private typealias Sample = SampleSchedules

  /// Each due day has a run at the scheduled local time, unless the time zone skips that time. The four years include a
  /// leap year.
  @Test("Next run: agrees with the calendar of Foundation over four years", arguments: SampleSchedules.zones)
  func foundationCalendar(_ zoneName: String) throws {
    let zone = try Sample.zone(zoneName)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let start = try Sample.date("2026-12-31T12:00:00Z")
    let end = try Sample.date("2030-12-31T12:00:00Z")
    let noons = (0..<1_461).map { start.addingTimeInterval(Double($0) * 86_400) }
    for time in Sample.times {
      for frequency in Sample.frequencies {
        let schedule = Sample.schedule(frequency, time)
        let runs = Sample.runs(of: schedule, from: start, to: end, in: zone)
        var byDay: [DateComponents: Date] = [:]
        for run in runs {
          let parts = calendar.dateComponents([.hour, .minute, .second], from: run)
          #expect(parts.hour == schedule.time.hour)
          #expect(parts.minute == schedule.time.minute)
          #expect(parts.second == 0)
          byDay[calendar.dateComponents([.year, .month, .day], from: run)] = run
        }
        #expect(byDay.count == runs.count, "two runs on a day")
        for noon in noons.dropFirst(2).dropLast(2) {
          let day = calendar.dateComponents([.year, .month, .day], from: noon)
          let isDue = isDue(noon, frequency, calendar)
          if byDay[day] != nil { #expect(isDue, "\(zoneName) \(schedule) \(day)") }
          if isDue, byDay[day] == nil {
            #expect(isSkipped(day, schedule.time, calendar), "\(zoneName) \(schedule) \(day)")
          }
        }
      }
    }
  }

  private func isDue(_ noon: Date, _ frequency: Schedule.Frequency, _ calendar: Calendar) -> Bool {
    switch frequency {
    case .daily: return true
    // Foundation counts from Sunday
    case .weekly(let day): return calendar.component(.weekday, from: noon) == day.rawValue % 7 + 1
    case .monthly(let day):
      let last = calendar.range(of: .day, in: .month, for: noon)?.count ?? 0
      return calendar.component(.day, from: noon) == min(day, last)
    case .manual: return false
    }
  }

  /// Whether the time does not exist on the day. Checks every minute.
  private func isSkipped(_ day: DateComponents, _ time: TimeOfDay, _ calendar: Calendar) -> Bool {
    var start = day
    start.hour = 12
    guard let noon = calendar.date(from: start) else { return false }
    return !(-900...900).contains { minute in
      let moment = noon.addingTimeInterval(Double(minute) * 60)
      let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: moment)
      return parts.year == day.year && parts.month == day.month && parts.day == day.day
        && parts.hour == time.hour && parts.minute == time.minute
    }
  }

  @Test("Next run: it is the first run after any moment")
  func randomMoments() throws {
    var numbers = SeededNumbers(seed: 5)
    let start = try Sample.date("2026-12-20T00:00:00Z")
    let end = try Sample.date("2029-01-20T00:00:00Z")
    for zoneName in Sample.zones {
      let zone = try Sample.zone(zoneName)
      for frequency in Sample.frequencies {
        let schedule = Sample.schedule(frequency, "02:30")
        let runs = Sample.runs(of: schedule, from: start, to: end, in: zone)
        for _ in 0..<50 {
          let moment = start.addingTimeInterval(Double.random(in: 0..<(700 * 86_400), using: &numbers))
          #expect(schedule.nextRun(after: moment, in: zone) == runs.first { $0 > moment })
        }
        for (run, next) in zip(runs, runs.dropFirst()) {
          #expect(schedule.nextRun(after: run.addingTimeInterval(-1), in: zone) == run)
          #expect(schedule.nextRun(after: run, in: zone) == next)
        }
      }
    }
  }

  @Test("Next run: a time that the clock skips is passed over, or runs afterwards")
  func clockForward() throws {
    let berlin = try Sample.zone("Europe/Berlin")
    let night = Sample.schedule(.daily, "02:30")
    let evening = try Sample.date("2026-03-28T20:00:00Z")
    // systemd has no run that night; cron runs as soon as the clock has gone forward
    #expect(night.nextRun(after: evening, in: berlin) == (try Sample.date("2026-03-30T00:30:00Z")))
    #expect(
      night.nextRun(after: evening, in: berlin, skipped: .runsAfterwards)
        == (try Sample.date("2026-03-29T01:00:00Z")))
    #expect(night.skippedRuns(after: evening, in: berlin) == ["2026-03-29"])
    #expect(Sample.schedule(.daily, "03:00").skippedRuns(after: evening, in: berlin).isEmpty)
    #expect(Sample.schedule(.weekly(.monday), "02:30").skippedRuns(after: evening, in: berlin).isEmpty)
    let sundays = Sample.schedule(.weekly(.sunday), "02:30")
    #expect(sundays.skippedRuns(after: evening, in: berlin) == ["2026-03-29"])
  }

  @Test("Next run: a time that occurs twice has one run")
  func clockBack() throws {
    let berlin = try Sample.zone("Europe/Berlin")
    let night = Sample.schedule(.daily, "02:30")
    let first = try Sample.date("2026-10-25T00:30:00Z")
    #expect(night.nextRun(after: try Sample.date("2026-10-24T12:00:00Z"), in: berlin) == first)
    #expect(night.nextRun(after: first, in: berlin) == (try Sample.date("2026-10-26T01:30:00Z")))
  }

  /// Samoa had no 30 December 2011.
  @Test("Next run: a date that the time zone skips has no run")
  func skippedDay() throws {
    let apia = try Sample.zone("Pacific/Apia")
    let start = try Sample.date("2011-12-29T11:00:00Z")
    for skipped in [Schedule.SkippedTime.isPassedOver, .runsAfterwards] {
      let runs = Sample.runs(
        of: Sample.schedule(.daily, "12:00"), from: start, to: try Sample.date("2012-01-01T12:00:00Z"),
        in: apia,
        skipped: skipped)
      #expect(
        runs == [
          try Sample.date("2011-12-29T22:00:00Z"), try Sample.date("2011-12-30T22:00:00Z"),
          try Sample.date("2011-12-31T22:00:00Z"),
        ])
    }
  }

  @Test("Next run: a manual schedule has none")
  func manual() throws {
    #expect(Schedule(.manual).nextRun(after: .now, in: .gmt) == nil)
  }
}
