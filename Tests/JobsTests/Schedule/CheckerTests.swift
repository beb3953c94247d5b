import Foundation
import PhotoLibrary
import Processes
import Testing

@testable import Jobs

/// Checks calendar expressions and crontab fields with `systemd-analyze`, the rules of crontab(5), and a shell.
@Suite(.waitsForPrograms) struct CheckerTests {
  private typealias Sample = SampleSchedules

  private static let hasAnalyze: Bool = {
    guard ChildProcess.find("systemd-analyze") != nil else {
      return ProcessInfo.processInfo.environment["SMILEPILE_NEEDS_ALL"] != nil
    }
    return true
  }()

  /// Compares daily schedules over a year, and the others over 60 runs.
  @Test(
    "Schedule: systemd computes the same runs, for every frequency and time zone",
    .enabled(if: hasAnalyze), arguments: SampleSchedules.zones)
  func systemdRuns(_ zoneName: String) throws {
    let zone = try Sample.zone(zoneName)
    let start = try Sample.date("2027-01-01T12:00:00Z")
    for (frequency, iterations) in Sample.frequencies.map({ ($0, $0 == .daily ? 366 : 60) }) {
      for time in ["00:00", "02:15", "23:59"] {
        let schedule = Sample.schedule(frequency, time)
        var runs: [Date] = []
        var end = Date.distantFuture
        for expression in schedule.calendarExpressions {
          let found = try calendar(expression, iterations, from: start, zoneName)
          runs += found
          end = min(end, found.last ?? start)
        }
        runs = runs.filter { $0 < end }.sorted()
        #expect(runs.count > 4)
        #expect(
          runs == Sample.runs(of: schedule, from: start, to: end, in: zone), "\(zoneName) \(schedule)")
      }
    }
  }

  private func calendar(
    _ expression: String, _ iterations: Int, from start: Date, _ zone: String
  ) throws -> [Date] {
    let base = "@\(Int(start.timeIntervalSince1970))"
    let program = ScheduleProgram(
      name: "env",
      prefix: [
        "TZ=\(zone)", "systemd-analyze", "calendar", "--iterations=\(iterations)", "--base-time=\(base)",
      ])
    let text = String(decoding: try program.succeed([expression]), as: UTF8.self)
    let marks = zone == "UTC" ? ["Next elapse:", "Iter. #"] : ["(in UTC):"]
    return try text.split(separator: "\n").filter { line in marks.contains { line.contains($0) } }.map {
      line in
      let words = line.split(separator: " ")
      return try Date("\(words[words.count - 3])T\(words[words.count - 2])Z", strategy: .iso8601)
    }
  }

  @Test(
    "Schedule: the crontab fields match the due days of eight years",
    arguments: SampleSchedules.frequencies)
  func cronDays(_ frequency: Schedule.Frequency) throws {
    let schedule = Sample.schedule(frequency, "03:05")
    let first = Int(try Sample.date("2024-01-01T00:00:00Z").timeIntervalSince1970) / 86_400
    for number in first..<(first + 8 * 366) {
      let day = CivilDay(number: number)
      let runs = schedule.cronTimes.filter { cron in
        let fields = cron.fields.split(separator: " ").map(String.init)
        let parts = day.components
        #expect(fields.count == 5)
        #expect(fields[0] == "5")
        #expect(fields[1] == "3")
        // if neither field is a star, cron runs when one of the two matches
        #expect(fields[2] == "*" || fields[4] == "*")
        return matches(parts.day, fields[2]) && matches(parts.month, fields[3])
          && matches(day.weekday % 7, fields[4])
          && (cron.condition == nil || CivilDay(number: number + 1).components.day == 1)
      }
      #expect(runs.count == (schedule.isDue(on: day) ? 1 : 0), "\(schedule) \(day.components)")
    }
  }

  private func matches(_ number: Int, _ field: String) -> Bool {
    field == "*"
      || field.split(separator: ",").contains { part in
        let ends = part.split(separator: "-").compactMap { Int($0) }
        return (ends.first ?? 0)...(ends.last ?? 0) ~= number
      }
  }

  /// The shell and date(1) evaluate the condition, at the first and the last minute of a day.
  @Test("Schedule: the condition of a cron line detects the last day of February")
  func lastOfFebruary() throws {
    let condition = try #require(Sample.schedule(.monthly(day: 31), "03:05").cronTimes.last?.condition)
    for (day, isLast) in [
      ("2026-02-28", true), ("2028-02-28", false), ("2028-02-29", true), ("2100-02-28", true),
      ("2000-02-28", false),
      ("2000-02-29", true), ("2026-02-27", false),
    ] {
      for time in ["00:00:00", "23:59:00"] {
        let now = Int(try Sample.date("\(day)T\(time)Z").timeIntervalSince1970)
        // date(1) with a fixed time
        let script =
          #"date() { case $1 in -d) command date "$@";; *) command date -d @\#(now) "$@";; esac; }; \#(condition)"#
        let result = try ScheduleProgram(name: "env").run(["TZ=UTC", "sh", "-c", script])
        #expect((result.status == 0) == isLast, "\(day) \(time): \(result.message)")
      }
    }
  }
}
