import Yams

extension JobFileReader {
  /// Reads when a job runs. A scheduled job has a weekly restore test by default.
  mutating func schedules(_ section: inout YAMLSection, _ job: inout Job) {
    job.schedule = schedule("schedule", &section)
    let testsByDefault = job.schedule == nil ? nil : Schedule.defaultForRestoreTests
    guard section.has("drill") else {
      _ = section.node("drill")
      job.restoreTestSchedule = testsByDefault
      return
    }
    var sample = job.restoreTestSample
    job.restoreTestSchedule = schedule("drill", &section, byDefault: testsByDefault) { part in
      guard let text = part.text("sample") else { return }
      sample = text == "all" ? nil : part.number("sample", in: 1 ... .max)
    }
    job.restoreTestSample = sample
  }

  /// Reads a mapping of `frequency`, `day` and `time`, or the word “manual”. Returns nil for a manual
  /// schedule and for a missing key.
  ///
  /// - Parameters:
  ///   - byDefault: the schedule of a mapping without frequency; nil if the frequency is required.
  ///   - more: reads additional keys.
  private mutating func schedule(
    _ key: String, _ section: inout YAMLSection, byDefault: Schedule? = nil,
    _ more: (inout YAMLSection) -> Void = { _ in }
  ) -> Schedule? {
    guard let node = section.node(key) else { return nil }
    if node.scalar?.string == "manual" { return nil }
    guard node.mapping != nil, var part = self.section(node, "“\(key)”") else {
      section.fault(key, "must be manual, or have “frequency: daily” and “time: 03:30” below it")
      return nil
    }
    defer { close(&part) }
    more(&part)
    let frequency = part.text("frequency")
    let day = part.day("day", isMonthly: frequency == "monthly")
    let time = part.time("time", of: key)
    guard let frequency else {
      guard part.faults.isEmpty else { return nil }
      if let byDefault, day == nil, time == nil { return byDefault }
      part.fault(part.line, "“\(key)” has no “frequency”; write daily, weekly, monthly or manual")
      return nil
    }
    let kind = part.kind(frequency, day, of: key)
    if frequency == "manual", part.has("time") {
      part.note("time", "manual does not use time; remove “time”", of: key)
    } else if kind != nil, !part.has("time") {
      part.note("frequency", "\(frequency) needs a time, for example 03:30", of: key)
    }
    guard let kind, let time else { return nil }
    return Schedule(kind, at: time)
  }
}

extension YAMLSection {
  /// Reads the number of a day of the month or of the week. A day of the week may also have its name.
  fileprivate mutating func day(_ key: String, isMonthly: Bool) -> Int? {
    let value = all.first { $0.key == key }?.node.scalar?.string
    // `number` reports all other mistakes: no value, a list, a day of the month that is not a number
    guard !isMonthly, let value, value.contains(where: \.isLetter), let text = text(key) else {
      return number(key, in: 1...31)
    }
    if let weekday = Weekday(text) { return weekday.rawValue }
    let nearest = Spelling.nearest(to: text, among: Weekday.allCases.map(\.description))
    let remedy =
      nearest.map { "did you mean \($0)?" } ?? "write Monday to Sunday, or 1 (Monday) to 7 (Sunday)"
    fault(line(of: key), "“\(key)”: “\(text)” is not a day of the week; \(remedy)")
    return nil
  }

  /// Reads a time of day.
  fileprivate mutating func time(_ key: String, of schedule: String) -> TimeOfDay? {
    guard let text = text(key) else { return nil }
    if let time = TimeOfDay(text) { return time }
    note(key, "“\(text)” is not a time; write hours and minutes, for example 03:30", of: schedule)
    return nil
  }

  /// Returns how often a job runs; nil for a manual schedule, and after a mistake.
  fileprivate mutating func kind(
    _ frequency: String, _ day: Int?, of schedule: String
  ) -> Schedule.Frequency? {
    switch (frequency, day) {
    case ("daily", nil): return .daily
    case ("manual", nil): return nil
    case ("daily", _), ("manual", _):
      note("day", "\(frequency) does not use day; remove “day”", of: schedule)
    case ("weekly", let day?):
      if let weekday = Weekday(rawValue: day) { return .weekly(weekday) }
      note(
        "day", "a week has no day \(day); write a number from 1 (Monday) to 7 (Sunday)", of: schedule)
    case ("monthly", let day?): return .monthly(day: day)
    // an unreadable day is already reported
    case ("weekly", nil) where !has("day"):
      note(
        "frequency", "weekly needs a day: Monday to Sunday, or 1 (Monday) to 7 (Sunday)", of: schedule)
    case ("monthly", nil) where !has("day"):
      note("frequency", "monthly needs a day, from 1 to 31", of: schedule)
    case ("weekly", nil), ("monthly", nil): break
    default:
      note(
        "frequency", "“\(frequency)” is not a frequency; use daily, weekly, monthly or manual", of: schedule)
    }
    return nil
  }

  /// Reports a mistake in the value of a key of a schedule.
  fileprivate mutating func note(_ key: String, _ message: String, of schedule: String) {
    fault(line(of: key), "“\(schedule)”: \(message)")
  }
}
