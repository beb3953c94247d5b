import Yams

extension JobFileReader {
  /// Reads when a job runs. One that runs by the clock has a drill every week, unless it says otherwise.
  mutating func schedules(_ section: inout YAMLSection, _ job: inout Job) {
    job.schedule = schedule("schedule", &section)
    if section.all.contains(where: { $0.key == "drill" }) {
      job.drill = schedule("drill", &section)
    } else {
      _ = section.node("drill")
      job.drill = job.schedule == nil ? nil : .defaultDrill
    }
  }

  /// A mapping of `frequency`, `day` and `time`, or the word “manual”; nil for that, and where there is none.
  private mutating func schedule(_ key: String, _ section: inout YAMLSection) -> Schedule? {
    guard let node = section.node(key) else { return nil }
    if node.scalar?.string == "manual" { return nil }
    guard node.mapping != nil, var part = self.section(node, "“\(key)”") else {
      section.fault(key, "has to be manual, or have “frequency: daily” and “time: 03:30” below it")
      return nil
    }
    defer { close(&part) }
    let frequency = part.text("frequency")
    let day = part.number("day", in: 1...31)
    let time = part.text("time")
    guard let frequency else {
      if part.faults.isEmpty {
        part.fault(part.line, "“\(key)” has no “frequency”: daily, weekly, monthly or manual")
      }
      return nil
    }
    // what is wrong with the day or the time was noted
    guard part.faults.isEmpty else { return nil }
    do throws(ScheduleError) {
      let schedule = try Schedule(frequency: frequency, day: day, time: time)
      return schedule.frequency == .manual ? nil : schedule
    } catch {
      part.fault(part.line(of: error), "“\(key)”: \(error)")
      return nil
    }
  }
}

extension YAMLSection {
  /// The line of the key that is at fault.
  fileprivate func line(of error: ScheduleError) -> Int {
    let key =
      switch error {
      case .notAFrequency, .dayNeeded, .timeNeeded: "frequency"
      case .notADay: "day"
      case .notATime: "time"
      case .needless(let key, _): key
      }
    return all.first { $0.key == key }?.line ?? line
  }
}
