import Foundation
import Jobs
import SystemPackage
import TestSupport
import Testing

struct JobFileTests {
  private func read(_ text: String) throws -> [Job] {
    try JobFile(text: text, path: "/etc/smilepile/config.yaml", home: "/home/anna").jobs
  }

  private func faults(_ text: String) -> [JobFile.Fault] {
    do {
      _ = try JobFile(text: text, path: "/etc/smilepile/config.yaml", home: "/home/anna")
      return []
    } catch {
      return error.faults
    }
  }

  @Test func everyKeyIsRead() throws {
    let jobs = try read(
      """
      jobs:
        full:
          library: ~/Family
          destinations:
            - backups
            - {path: /mnt/usb/family, require-mount: /mnt/usb, marker: .disk}
            - {path: /nas, require-mount: true}
          categories: [Family, "Holi days"]
          since: 2025-01-01
          until: 2026-01-01T12:00
          settings: no
          encrypt: {password-command: pass show x, force-weak-password: true}
          verify: false
          incremental: {max-chain: 3}
          tags: one
          mode: 640
          retention: {keep-last: 1, keep-hourly: 2, keep-daily: 3, keep-weekly: 4, keep-monthly: 5, keep-yearly: 6,
            keep-within: 1y2m3d4h, keep-tag: [a, b]}
          hooks: {before: b, after: a, on-failure: f, finally: z, time-limit: 2m}
          schedule: {frequency: monthly, day: 31, time: 02:30}
          drill: {frequency: daily, time: "04:00", sample: all}
          status-file: s.json
          prometheus-file: /p.prom
          lock-wait: 1h
        small:
          destinations: /x
      """)
    #expect(jobs.map(\.name) == ["full", "small"])
    let job = try #require(jobs.first)
    #expect(job.library == "/home/anna/Family")
    #expect(job.destinations.map(\.path) == ["/etc/smilepile/backups", "/mnt/usb/family", "/nas"])
    #expect(job.destinations.map(\.requiredMount) == [nil, .at("/mnt/usb"), .any])
    #expect(job.destinations.map(\.marker) == [nil, ".disk", nil])
    #expect(job.categories == ["Family", "Holi days"])
    #expect(job.since != nil && job.until != nil && !job.includesSettings)
    #expect(job.password == .command("pass show x") && job.allowsWeakPassword)
    #expect(!job.verifies && job.maximumChain == 3 && job.archiveTags == ["full", "one"])
    #expect(job.permissions == 0o640 && job.lockWait == 3600)
    var policy = RetentionPolicy()
    (policy.last, policy.hourly, policy.daily, policy.weekly, policy.monthly, policy.yearly) = (
      1, 2, 3, 4, 5, 6
    )
    policy.within = RetentionSpan("1y2m3d4h")
    policy.tags = ["a", "b"]
    #expect(job.retention == policy)
    #expect(job.hooks.before == "b" && job.hooks.after == "a" && job.hooks.onFailure == "f")
    #expect(job.hooks.finally == "z" && job.hooks.timeLimit == 120)
    #expect(try job.schedule == Schedule(frequency: "monthly", day: 31, time: "02:30"))
    #expect(try job.drill == Schedule(frequency: "daily", day: nil, time: "04:00") && job.drillSample == nil)
    #expect(jobs[1].schedule == nil && jobs[1].drill == nil && jobs[1].drillSample == 100)
    #expect(job.statusFile == "/etc/smilepile/s.json" && job.prometheusFile == "/p.prom")
    #expect(jobs[1].library == nil && jobs[1].verifies && jobs[1].retention == nil)
  }

  @Test(arguments: [
    ("jobs:\n  a:\n    destination: x\n", 3, "did you mean “destinations”?"),
    ("jobs:\n  a:\n    library: x\n", 3, "has no “destinations”"),
    ("jobs:\n  a:\n    destinations: []\n", 3, "has no folder"),
    ("jobs:\n  a:\n    destinations: x\n    retention: {keep-last: -1}\n", 4, "0 or more"),
    ("jobs:\n  a:\n    destinations: x\n    retention: {keep-last: 0}\n", 4, "keeps nothing"),
    ("jobs:\n  a:\n    destinations: x\n    retention: {keep-within: 30 days}\n", 4, "30d"),
    ("jobs:\n  a:\n    destinations: x\n    encrypt: true\n", 4, "has to be a list of"),
    ("jobs:\n  a:\n    destinations: x\n    encrypt: {}\n", 4, "needs “password-file”"),
    ("jobs:\n  a:\n    destinations: x\n    since: tomorrow\n", 4, "has to be a date"),
    ("jobs:\n  a:\n    destinations: x\n    split: tablet\n", 4, "can only be “phone”"),
    ("jobs:\n  a:\n    destinations: x\n    split: phone\n    incremental: true\n", 4, "do not go together"),
    ("jobs:\n  a:\n    destinations: x\n    lock-wait: soon\n", 4, "15m"),
    ("jobs:\n  a:\n    destinations: x\n    library:\n", 4, "has no value"),
    ("jobs:\n  a:\n    destinations: {path: x, marker: a/b}\n", 3, "name of a file"),
    ("jobs:\n  a:\n    destinations: {path: x, require-mount: /}\n", 3, "requires nothing"),
    ("jobs:\n  a:\n    destinations: {path: x, require-mount: mnt}\n", 3, "the absolute path"),
    (
      "jobs:\n  a:\n    destinations: x\n    status-file: s\n  b:\n    destinations: y\n    status-file: s\n",
      7,
      "“status-file” is the status-file of job “a” already"
    ),
    (
      "jobs:\n  a:\n    destinations: x\n    status-file: s\n    prometheus-file: ./s\n", 5,
      "“prometheus-file” is the status-file of job “a” already"
    ),
    ("jobs:\n  a:\n    destinations: x\n    hooks: {time-limit: 0}\n", 4, "leaves a hook no time"),
    ("jobs:\n  a:\n    library: x\n    destinations: x\n", 4, "lies in the library itself"),
    (
      "jobs:\n  a:\n    library: x\n    destinations:\n      - y\n      - x/y\n", 6,
      "lies in the library itself"
    ),
    ("jobs:\n  a:\n    destinations: x\n    categories: []\n", 4, "“categories” is empty; name some"),
    ("jobs:\n  a:\n    destinations: [x, \"\"]\n", 3, "a destination is empty"),
    ("jobs:\n  a:\n\tdestinations: x\n", 3, "YAML takes no tabs at the beginning of a line; write spaces"),
    (
      "jobs:\n  a:\n    destinations:\n      - path: /a\n        path: /b\n      - marker: x\n        path: /c\n",
      5,
      "given twice: “path”"
    ),
    (
      "jobs:\n  a:\n    destinations:\n      - path: /a\n\n# not so\n        path: /b\n", 7,
      "given twice: “path”"
    ),
    (
      "jobs:\n  a:\n    tags: a\n    mode: 640\n    tags: b\n    mode: 640\n", 6,
      "given twice: “mode”, “tags”"
    ),
    ("jobs:\n  -bad:\n    destinations: x\n", 2, "cannot be a job's name"),
    ("jobs:\n  a:\n    destinations: x\n    schedule: {frequency: hourly}\n", 4, "hourly"),
    ("jobs:\n  a:\n    destinations: x\n    schedule: {time: 02:30}\n", 4, "has no “frequency”"),
    ("jobs: none\n", 1, "has to be a list of"),
    ("job:\n  a: x\n", 1, "did you mean “jobs”?"),
    ("", 0, "it is empty"),
    ("a: b: c\n", 1, "this is no YAML"),
  ])
  func everyMistakeHasItsLine(text: String, line: Int, message: String) {
    let faults = faults(text)
    #expect(
      faults.contains { $0.line == line && $0.message.contains(message) },
      "\(faults.map { "\($0.line): \($0.message)" })")
  }

  @Test(arguments: [("weekly", 8), ("monthly", 32), ("daily", 1)])
  func aWrongDayAndAWrongTimeAreBothSaid(frequency: String, day: Int) {
    let schedule = "frequency: \(frequency)\n      day: \(day)\n      time: 25:00\n"
    let faults = faults("jobs:\n  a:\n    destinations: x\n    schedule:\n      \(schedule)")
    #expect(faults.map(\.line) == [6, 7], "\(faults)")
  }

  @Test(
    "Job file: a weekday may be given by its English name, in full or three letters, in any case",
    arguments: [
      ("Monday", .monday), ("wed", .wednesday), ("SATURDAY", .saturday), ("Sun", .sunday),
      ("\"sunday\"", .sunday), ("1", .monday), ("7", .sunday),
    ] as [(String, Weekday)])
  func weekdayName(name: String, day: Weekday) throws {
    let schedule = "{frequency: weekly, day: \(name), time: 02:30}"
    let text = "jobs:\n  a:\n    destinations: x\n    schedule: \(schedule)\n"
    let job = try #require(try read(text).first)
    #expect(job.schedule?.frequency == .weekly(day))
  }

  @Test("Job file: the day of a drill may be given by its name")
  func weekdayNameOfDrill() throws {
    let text = "jobs:\n  a:\n    destinations: x\n    drill: {frequency: weekly, day: Fri, time: 02:30}\n"
    #expect(try read(text).first?.drill?.frequency == .weekly(.friday))
  }

  @Test(
    "Job file: a wrong day is reported with its line and what to write instead",
    arguments: [
      ("weekly", "Sunnday", "“day”: “Sunnday” is no day of the week; did you mean Sunday?"),
      ("weekly", "Tues", "“day”: “Tues” is no day of the week; did you mean Tuesday?"),
      (
        "weekly", "Dimanche",
        "“day”: “Dimanche” is no day of the week; write Monday to Sunday, or 1 (Monday) to 7 (Sunday)"
      ),
      ("weekly", "[Sun]", "“day” has to be a whole number, 1 to 31"),
      ("weekly", "8", "“schedule”: a week has no day 8; give one from 1 (Monday) to 7 (Sunday)"),
      ("monthly", "Sunday", "“day” has to be a whole number, 1 to 31"),
      ("daily", "Sunday", "“schedule”: daily has no use for a day; leave it out"),
    ])
  func wrongDay(frequency: String, day: String, message: String) {
    let schedule = "frequency: \(frequency)\n      day: \(day)\n      time: 02:30\n"
    let faults = faults("jobs:\n  a:\n    destinations: x\n    schedule:\n      \(schedule)")
    #expect(faults.map(\.line) == [6])
    #expect(faults.map(\.message) == [message])
  }

  @Test("Job file: a weekly schedule without a day asks for one by name or number")
  func missingDay() {
    let faults = faults("jobs:\n  a:\n    destinations: x\n    schedule: {frequency: weekly, time: 02:30}\n")
    #expect(
      faults.map(\.message)
        == ["“schedule”: weekly needs a day: Monday to Sunday, or 1 (Monday) to 7 (Sunday)"])
  }

  @Test func aJobWithoutLibraryIsWarnedOf() throws {
    let text = "jobs:\n  a:\n    destinations: x\n  b:\n    library: y\n    destinations: x\n"
    let warnings = try JobFile(text: text, path: "/etc/smilepile/config.yaml", home: nil).warnings
    #expect(warnings.map(\.line) == [3])
    #expect(warnings.first?.message.contains("job “a” names no library; write “library:”") == true)
  }

  /// Two names of one folder are one copy.
  @Test func aFolderUnderTwoNamesIsOne() throws {
    let scratch = try ScratchFolder()
    let folder = try scratch.makeFolder("disk")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path.appending("link").string, withDestinationPath: folder.string)
    let faults = faults("jobs:\n  a:\n    destinations:\n      - \(folder)\n      - \(scratch.path)/link\n")
    #expect(faults.map { $0.line } == [5] && faults[0].message.contains("stands here twice"))
  }

  @Test func everyMistakeIsSaidAtOnce() {
    #expect(faults("jobs:\n  a:\n    verify: x\n    mode: y\n    foo: z\n").count == 4)
  }
}
