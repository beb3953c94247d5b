import FileSystem
import Foundation
import Gallery
import Jobs
import SystemPackage
import TestSupport
import Testing

struct JobFileTests {
  private func read(_ text: String) throws -> [Job] {
    try JobFile(text: text, path: "/etc/smilepile/config.yaml", home: "/home/anna").jobs
  }

  private func faults(_ text: String) -> [ConfigurationFault] {
    do {
      _ = try JobFile(text: text, path: "/etc/smilepile/config.yaml", home: "/home/anna")
      return []
    } catch {
      return error.faults
    }
  }

  @Test(
    "Job file: aliases, anchors and keys that are no words are refused before nodes are made of them",
    arguments: [
      ("jobs:\n  a: &x\n    library: /l", 2, "anchors"), ("jobs: {a: {library: *x}}", 1, "aliases"),
      ("jobs:\n  ? [a, b]\n  : {}", 2, "a key must be a word"), ("{? {a: b} : c}", 1, "a key must be a word"),
      ("jobs:\n  a:\n    tags: [b, &t c]", 3, "anchors"),
    ])
  func refusedSyntax(text: String, line: Int, message: String) throws {
    let fault = try #require(faults(text).first)
    #expect(fault.line == line)
    #expect(fault.message.contains(message))
  }

  @Test("Job file: an alias bomb as a key is refused at once")
  func aliasBomb() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    #expect(faults(text + "? *a9\n: x\n").contains { $0.message.contains("aliases") })
  }

  @Test(
    "Job file: a zero byte is refused with its line",
    arguments: [
      ("jobs:\n  a:\n    library: \"/l\\0x\"\n    destinations: /d", 3),
      ("jobs:\n  a:\n    library: /l\n    destinations: [/a, \"/d\\x00\"]", 4),
      ("jobs:\n  \"a\\0\":\n    library: /l", 2), ("jobs:\n  a:\n    hooks: {before: \"id\\u0000\"}", 3),
      ("jobs:\n  a: {library: /l\0}", 2),
    ])
  func zeroByte(text: String, line: Int) {
    #expect(faults(text).filter { $0.line == line }.contains { $0.message.contains("zero byte") })
  }

  @Test("Job file: * and & in texts are no aliases and anchors")
  func plainIndicators() throws {
    let jobs = try read(
      """
      jobs:
        a:
          library: /l
          destinations: /d
          hooks: {before: "*x && id", after: rm *.tmp & id, finally: 'a & *b'}
      """)
    #expect(jobs.first?.hooks.before == "*x && id")
    #expect(jobs.first?.hooks.after == "rm *.tmp & id")
  }

  /// A job with every key, and one with none.
  private static let everyKey = """
    jobs:
      full:
        library: ~/Family
        destinations:
          - backups
          - {path: /mnt/usb/family, require-mount: /mnt/usb, sentinel: .disk}
          - {path: /nas, require-mount: true}
        categories: [Family, "Holi days"]
        since: 2025-01-01
        until: 2026-01-01T12:00
        settings: no
        encrypt: {password-command: pass show x, force-weak-password: true}
        verify: false
        incremental: {max-chain: 3}
        thumbnails: yes
        gallery: {theme: forest-green, appearance: dark, text-size: 120}
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
    """

  @Test("Job file: paths are relative to the home folder or to the job file, destinations have requirements")
  func places() throws {
    let jobs = try read(Self.everyKey)
    #expect(jobs.map(\.name) == ["full", "small"])
    let job = try #require(jobs.first)
    #expect(job.library == "/home/anna/Family")
    #expect(job.destinations.map(\.path) == ["/etc/smilepile/backups", "/mnt/usb/family", "/nas"])
    #expect(job.destinations.map(\.requiredMount) == [nil, .at("/mnt/usb"), .any])
    #expect(job.destinations.map(\.sentinel) == [nil, ".disk", nil])
    #expect(job.statusFile == "/etc/smilepile/s.json")
    #expect(job.prometheusFile == "/p.prom")
  }

  @Test("Job file: the keys of the selection are read")
  func selection() throws {
    let job = try #require(read(Self.everyKey).first)
    #expect(job.categories == ["Family", "Holi days"])
    #expect(job.taken.since != nil)
    #expect(job.taken.until != nil)
    #expect(!job.includesSettings)
  }

  @Test("Job file: the keys of the archive are read")
  func archive() throws {
    let job = try #require(read(Self.everyKey).first)
    #expect(job.password == .command("pass show x"))
    #expect(job.allowsWeakPassword)
    #expect(!job.verifies)
    #expect(job.maximumChainDepth == 3)
    #expect(job.includesThumbnails)
    #expect(job.gallery?.theme.name == "forest-green")
    #expect(job.gallery?.appearance == .dark)
    #expect(job.gallery?.textSize == 120)
    #expect(job.archiveTags == ["full", "one"])
    #expect(job.permissions == 0o640)
  }

  @Test("Job file: the keep rules are read")
  func retention() throws {
    var policy = RetentionPolicy()
    (policy.last, policy.hourly, policy.daily) = (1, 2, 3)
    (policy.weekly, policy.monthly, policy.yearly) = (4, 5, 6)
    policy.within = RetentionSpan("1y2m3d4h")
    policy.tags = ["a", "b"]
    #expect(try read(Self.everyKey).first?.retention == policy)
  }

  @Test("Job file: hooks and times are read")
  func hooksAndTimes() throws {
    let job = try #require(read(Self.everyKey).first)
    #expect(job.hooks.before == "b")
    #expect(job.hooks.after == "a")
    #expect(job.hooks.onFailure == "f")
    #expect(job.hooks.finally == "z")
    #expect(job.hooks.timeLimit == 120)
    #expect(job.lockWait == 3600)
    #expect(job.schedule?.description == "on the last day of every month at 02:30")
    #expect(job.restoreTestSchedule?.description == "every day at 04:00")
    #expect(job.restoreTestSample == nil)
  }

  @Test("Job file: a job without optional keys gets their defaults")
  func defaults() throws {
    let small = try #require(read(Self.everyKey).last)
    #expect(small.schedule == nil)
    #expect(small.restoreTestSchedule == nil)
    #expect(small.restoreTestSample == 100)
    #expect(small.library == nil)
    #expect(small.verifies)
    #expect(small.retention == nil)
    #expect(!small.includesThumbnails)
    #expect(small.gallery == nil)
  }

  @Test("Job file: a gallery has the default appearance, or a section; an unknown theme is a warning")
  func gallery() throws {
    let text = "jobs:\n  a:\n    library: /l\n    destinations: /d\n    gallery: "
    #expect(try read(text + "true\n").first?.gallery == Gallery.Style())
    #expect(try read(text + "no\n").first?.gallery == nil)
    let file = try JobFile(
      text: text + "{theme: purple, text-size: 150}\n", path: "/etc/smilepile/config.yaml", home: nil)
    #expect(file.jobs.first?.gallery?.theme == .smilepile)
    #expect(file.jobs.first?.gallery?.textSize == 150)
    #expect(
      file.warnings.map(\.message) == ["no theme is named “purple”; the gallery has the theme smilepile"])
    #expect(file.warnings.map(\.line) == [5])
  }

  @Test(
    "Job file: a mistake is reported with its line",
    arguments: [
      ("jobs:\n  a:\n    destination: x\n", 3, "did you mean “destinations”?"),
      ("jobs:\n  a:\n    library: x\n", 3, "has no “destinations”"),
      ("jobs:\n  a:\n    destinations: []\n", 3, "has no folder"),
      ("jobs:\n  a:\n    destinations: x\n    retention: {keep-last: -1}\n", 4, "an integer of at least 0"),
      ("jobs:\n  a:\n    destinations: x\n    retention: {keep-last: 0}\n", 4, "has no keep rule"),
      ("jobs:\n  a:\n    destinations: x\n    retention: {keep-within: 30 days}\n", 4, "30d"),
      ("jobs:\n  a:\n    destinations: x\n    encrypt: true\n", 4, "must be a list of"),
      ("jobs:\n  a:\n    destinations: x\n    encrypt: {}\n", 4, "needs “password-file”"),
      ("jobs:\n  a:\n    destinations: x\n    since: tomorrow\n", 4, "must be a date"),
      ("jobs:\n  a:\n    destinations: x\n    split: tablet\n", 4, "must be phone"),
      (
        "jobs:\n  a:\n    destinations: x\n    split: phone\n    incremental: true\n", 4, "cannot be combined"
      ),
      (
        "jobs:\n  a:\n    destinations: x\n    gallery: maybe\n", 4,
        "must be true or false, or have “theme: forest-green” below it"
      ),
      ("jobs:\n  a:\n    destinations: x\n    gallery: {text-size: 99}\n", 4, "from 100 to 200"),
      ("jobs:\n  a:\n    destinations: x\n    gallery: {appearance: dim}\n", 4, "system, light or dark"),
      ("jobs:\n  a:\n    destinations: x\n    gallery: {colour: red}\n", 4, "unknown key “colour”"),
      ("jobs:\n  a:\n    destinations: x\n    lock-wait: soon\n", 4, "15m"),
      ("jobs:\n  a:\n    destinations: x\n    library:\n", 4, "has no value"),
      ("jobs:\n  a:\n    destinations: {path: x, sentinel: a/b}\n", 3, "name of a file"),
      ("jobs:\n  a:\n    destinations: {path: x, require-mount: /}\n", 3, "has no effect"),
      ("jobs:\n  a:\n    destinations: {path: x, require-mount: mnt}\n", 3, "the absolute path"),
      (
        "jobs:\n  a:\n    destinations: x\n    status-file: s\n  b:\n    destinations: y\n    status-file: s\n",
        7,
        "“status-file” is the same file as the status-file of job “a”"
      ),
      (
        "jobs:\n  a:\n    destinations: x\n    status-file: s\n    prometheus-file: ./s\n", 5,
        "“prometheus-file” is the same file as the status-file of job “a”"
      ),
      ("jobs:\n  a:\n    destinations: x\n    hooks: {time-limit: 0}\n", 4, "must be longer than 0"),
      (
        "jobs:\n  a:\n    library: x\n    destinations: x\n", 4,
        "is in the library; choose a folder outside the library"
      ),
      (
        "jobs:\n  a:\n    library: x\n    destinations:\n      - y\n      - x/y\n", 6,
        "is in the library; choose a folder outside the library"
      ),
      ("jobs:\n  a:\n    destinations: x\n    categories: []\n", 4, "“categories” is empty; remove the key"),
      ("jobs:\n  a:\n    destinations: [x, \"\"]\n", 3, "a destination is empty"),
      (
        "jobs:\n  a:\n\tdestinations: x\n", 3,
        "YAML does not allow tabs at the beginning of a line; use spaces"
      ),
      (
        "jobs:\n  a:\n    destinations:\n      - path: /a\n        path: /b\n      - sentinel: x\n        path: /c\n",
        5,
        "the key “path” appears twice"
      ),
      (
        "jobs:\n  a:\n    destinations:\n      - path: /a\n\n# not so\n        path: /b\n", 7,
        "the key “path” appears twice"
      ),
      (
        "jobs:\n  a:\n    tags: a\n    mode: 640\n    tags: b\n    mode: 640\n", 5,
        "the key “tags” appears twice"
      ),
      (
        "jobs:\n  a:\n    tags: a\n    mode: 640\n    tags: b\n    mode: 640\n", 6,
        "the key “mode” appears twice"
      ),
      ("jobs:\n  -bad:\n    destinations: x\n", 2, "is not a job name"),
      ("jobs:\n  a:\n    destinations: x\n    schedule: {frequency: hourly}\n", 4, "hourly"),
      ("jobs:\n  a:\n    destinations: x\n    schedule: {time: 02:30}\n", 4, "has no “frequency”"),
      ("jobs: none\n", 1, "must be a list of"),
      ("job:\n  a: x\n", 1, "did you mean “jobs”?"),
      ("", 0, "the job file is empty"),
      ("a: b: c\n", 1, "this is not YAML"),
    ])
  func mistake(text: String, line: Int, message: String) {
    let faults = faults(text)
    #expect(
      faults.filter { $0.line == line }.contains { $0.message.contains(message) },
      "\(faults.map { "\($0.line): \($0.message)" })")
  }

  @Test(
    "Job file: a wrong day and a wrong time are both reported",
    arguments: [("weekly", 8), ("monthly", 32), ("daily", 1)])
  func wrongDayAndTime(frequency: String, day: Int) {
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

  @Test("Job file: the day of a restore test may be given by its name")
  func restoreTestDay() throws {
    let text = "jobs:\n  a:\n    destinations: x\n    drill: {frequency: weekly, day: Fri, time: 02:30}\n"
    #expect(try read(text).first?.restoreTestSchedule?.frequency == .weekly(.friday))
  }

  @Test(
    "Job file: a wrong day is reported with its line and what to write instead",
    arguments: [
      ("weekly", "Sunnday", "“day”: “Sunnday” is not a day of the week; did you mean Sunday?"),
      ("weekly", "Tues", "“day”: “Tues” is not a day of the week; did you mean Tuesday?"),
      (
        "weekly", "Dimanche",
        "“day”: “Dimanche” is not a day of the week; write Monday to Sunday, or 1 (Monday) to 7 (Sunday)"
      ),
      ("weekly", "[Sun]", "“day” must be an integer from 1 to 31"),
      ("weekly", "8", "“schedule”: a week has no day 8; write a number from 1 (Monday) to 7 (Sunday)"),
      ("monthly", "Sunday", "“day” must be an integer from 1 to 31"),
      ("daily", "Sunday", "“schedule”: daily does not use day; remove “day”"),
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

  @Test("Job file: a job without a library is a warning")
  func missingLibrary() throws {
    let text = "jobs:\n  a:\n    destinations: x\n  b:\n    library: y\n    destinations: x\n"
    let warnings = try JobFile(text: text, path: "/etc/smilepile/config.yaml", home: nil).warnings
    #expect(warnings.map(\.line) == [3])
    #expect(warnings.first?.message.contains("job “a” has no library; add “library:” to the job") == true)
  }

  @Test("Job file: a symbolic link to another destination is a duplicate")
  func duplicateDestination() throws {
    let scratch = ScratchFolder()
    let folder = try scratch.makeFolder("disk")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path.appending("link").string, withDestinationPath: folder.string)
    let faults = faults("jobs:\n  a:\n    destinations:\n      - \(folder)\n      - \(scratch.path)/link\n")
    #expect(faults.map(\.line) == [5])
    #expect(faults.first?.message.contains("is listed twice") == true)
  }

  @Test("Job file: all mistakes are reported at once")
  func allMistakes() {
    #expect(faults("jobs:\n  a:\n    verify: x\n    mode: y\n    foo: z\n").count == 4)
  }

  @Test("Job file: a file that others can change is refused")
  func writableFile() throws {
    let scratch = ScratchFolder()
    let path = try scratch.write("jobs: {a: {library: /l, destinations: /d}}", to: "jobs.yaml")
    chmod(path.string, 0o600)
    #expect(try JobFile(path, environment: [:]).jobs.count == 1)
    chmod(path.string, 0o666)
    #expect(throws: OwnershipError.self) { _ = try JobFile(path, environment: [:]) }
  }
}
