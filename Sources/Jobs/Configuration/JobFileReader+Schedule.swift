import Yams

extension JobFileReader {
  /// Reads when a job runs. A scheduled job has a weekly restore test by default.
  mutating func schedules(_ section: inout YAMLSection, _ job: inout Job) {
    job.schedule = schedule("schedule", &section)
    let drillByDefault = job.schedule == nil ? nil : Schedule.defaultDrill
    guard section.all.contains(where: { $0.key == "drill" }) else {
      _ = section.node("drill")
      job.drill = drillByDefault
      return
    }
    var sample = job.drillSample
    job.drill = schedule("drill", &section, byDefault: drillByDefault) { part in
      guard let text = part.text("sample") else { return }
      sample = text == "all" ? nil : part.number("sample", in: 1 ... .max)
    }
    job.drillSample = sample
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
    // reports a wrong time here, so that a wrong day is reported too
    let time = part.text("time").map { time in
      if TimeOfDay(time) != nil { return time }
      part.note(.notATime(time), of: key)
      return "\(TimeOfDay.midnight)"
    }
    guard let frequency else {
      if let byDefault, day == nil, time == nil, part.faults.isEmpty { return byDefault }
      if part.faults.isEmpty {
        part.fault(part.line, "“\(key)” has no “frequency”; write daily, weekly, monthly or manual")
      }
      return nil
    }
    do throws(ScheduleError) {
      let schedule = try Schedule(frequency: frequency, day: day, time: time)
      return schedule.frequency == .manual ? nil : schedule
    } catch {
      part.note(error, of: key)
      return nil
    }
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

  /// Reports a mistake in a schedule.
  fileprivate mutating func note(_ error: ScheduleError, of key: String) {
    switch error {
    // an unreadable value is already reported
    case .dayNeeded where all.contains { $0.key == "day" }: break
    case .timeNeeded where all.contains { $0.key == "time" }: break
    default: fault(line(of: error), "“\(key)”: \(error)")
    }
  }

  /// Returns the line of the key with the mistake.
  fileprivate func line(of error: ScheduleError) -> Int {
    let key =
      switch error {
      case .notAFrequency, .dayNeeded, .timeNeeded: "frequency"
      case .notADay: "day"
      case .notATime: "time"
      case .unusedKey(let key, _): key
      }
    return all.first { $0.key == key }?.line ?? line
  }
}
