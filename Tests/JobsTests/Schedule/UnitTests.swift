import Foundation
import Processes
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

@Suite(.waitsForPrograms) struct UnitTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let hasAnalyze =
    ChildProcess.find("systemd-analyze") != nil
    || ProcessInfo.processInfo.environment["SMILEPILE_NEEDS_ALL"] != nil

  private func job(
    _ name: String = "Family", library: FilePath = "/srv/Family", runsCommands: Bool = false,
    schedule: Schedule? = .defaultDrill
  ) throws -> ScheduledJob {
    try ScheduledJob(
      name: name, configuration: "/etc/smilepile/config.yaml", program: "/bin/true",
      writable: [library, "/backups", "/backups"], runsCommands: runsCommands, environment: ["HOME": "/root"],
      schedule: schedule)
  }

  private func write(_ job: ScheduledJob, _ scope: UnitScope) throws -> [FilePath] {
    try SystemdSchedule(scope, folder: folder.path, environment: [:]).texts(of: job).map { text in
      try folder.write(text.text, to: FilePath(text.place).lastComponent?.string ?? "")
      return FilePath(text.place)
    }
  }

  /// systemd's own checker has nothing to say of what is made, for odd names and paths of every kind, for each
  /// frequency.
  @Test(
    .enabled(if: hasAnalyze),
    arguments: [
      "/srv/Family", "/home/a/My Photos", "/home/100%/x", "/srv/$HOME", #"/srv/it's "mine""#,
      #"/srv/back\slash\n"#,
      "/srv/Käse/日本", "/srv/#;!@+-:", "/srv/{a,b}/*?", "/srv/ leading and trailing ",
    ])
  func systemdHasNothingToSay(_ path: String) throws {
    for scope in [UnitScope.user, .system] {
      for runsCommands in [false, true] {
        for (number, frequency) in SampleSchedules.frequencies.enumerated() {
          let job = try job(
            "job-\(number)", library: FilePath(path), runsCommands: runsCommands,
            schedule: SampleSchedules.schedule(frequency, "12:30"))
          _ = try write(job, scope)
        }
      }
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path.string)
      .map { folder.path($0).string }
    let result = try ScheduleProgram(name: "systemd-analyze").run(["verify", "--man=no"] + files)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty, "\(result.message)")
  }

  /// The words of the command come back as they were: systemd-analyze shows what it does not understand, so that is no
  /// help; the rules of systemd.syntax(7) are short.
  @Test func wordsComeBackFromTheirQuotes() {
    var numbers = SeededNumbers(seed: 7)
    let letters = Array(#"ab %$"'\;#{}*é"#)
    for _ in 0..<2_000 {
      let word = String(
        (0..<Int.random(in: 1...12, using: &numbers)).map { _ in
          letters[Int.random(in: letters.indices, using: &numbers)]
        })
      #expect(unquoted(UnitText.quoted(word)) == word)
    }
  }

  /// What systemd makes of a word in double quotes: a backslash takes the next character as it stands, `%%` is `%`.
  private func unquoted(_ text: String) -> String? {
    guard text.first == "\"", text.last == "\"", text.count > 1 else { return nil }
    var word = ""
    var rest = text.dropFirst().dropLast()
    while let character = rest.popFirst() {
      switch character {
      case "\"": return nil
      case "\\":
        guard let next = rest.popFirst(), next == "\\" || next == "\"" else { return nil }
        word.append(next)
      case "%":
        guard rest.popFirst() == "%" else { return nil }
        word.append("%")
      default: word.append(character)
      }
    }
    return word
  }

  @Test(.enabled(if: hasAnalyze))
  func aJobWithoutCommandsIsWellFenced() throws {
    let service = try write(job(), .system)[0]
    let result = try ScheduleProgram(name: "systemd-analyze")
      .run(["security", "--offline=true", "--threshold=20", service.string])
    #expect(result.status == 0, "\(String(decoding: result.output.suffix(200), as: UTF8.self))")
  }

  @Test func whatItMayWriteIsNamedOnce() throws {
    let text = UnitText(job: try job(library: "/srv/a b"), task: .backup, scope: .system).service
    #expect(text.contains("ReadWritePaths=\"-/srv/a b\"\nReadWritePaths=\"-/backups\"\n\n"))
    #expect(text.contains("ExecStart=:\"/bin/true\" \"backup\" \"--config\""))
    #expect(!text.contains("SuccessExitStatus"))
    // a setgid mailer of a hook has to be able to do what it is for
    let hooked = UnitText(job: try job(runsCommands: true), task: .backup, scope: .system).service
    #expect(!hooked.contains("NoNewPrivileges") && !hooked.contains("PrivateNetwork"))
    #expect(hooked.contains("ProtectSystem=strict") && hooked.contains("-/var/spool"))
  }

  @Test func thePasswordFileIsReadBesides() throws {
    let text = "jobs:\n  a:\n    library: /l\n    destinations: /d\n    encrypt: {password-file: /tmp/key}\n"
    let job = try #require(try JobFile(text: text, path: "/etc/c.yaml", home: nil).jobs.first)
    let scheduled = try ScheduledJob(
      job, in: "/etc/c.yaml", library: nil, program: "/bin/true", environment: [:])
    #expect(scheduled.readable == ["/tmp/key"])
  }

  /// A drill restores into /var/tmp, and `ProtectSystem=strict` has it read-only unless it is private or named.
  @Test(arguments: [UnitScope.user, .system])
  func temporaryFilesCanBeWritten(_ scope: UnitScope) throws {
    func text(_ job: ScheduledJob) -> String { UnitText(job: job, task: .drill, scope: scope).service }
    let shared = "ReadWritePaths=\"-/tmp\"\nReadWritePaths=\"-/var/tmp\"\n"
    let fenced = try text(job())
    #expect(fenced.contains("PrivateTmp=true") && !fenced.contains(shared))
    let hooked = try text(job(runsCommands: true))
    #expect(!hooked.contains("PrivateTmp") && hooked.contains(shared))
    // a status file there would come to lie where nobody sees it
    let inside = try text(job(library: "/srv/../var/tmp/Family"))
    #expect(
      !inside.contains("PrivateTmp") && inside.contains(shared)
        && inside.contains("PrivateNetwork") == (scope == .system))
    #expect(try text(job(library: "/tmpx")).contains("PrivateTmp=true"))
    var locked = try job()
    locked.readable = ["/tmp/key"]
    #expect(!text(locked).contains("PrivateTmp"))
    locked.readable = ["/root/key"]
    #expect(text(locked).contains("PrivateTmp=true"))
  }

  @Test func noTwoJobsHaveOneUnit() {
    let names = ["a", "A", "a-b", "a_b", "a b", "a.b", "ä", "a\\x20b", "a/b", "@", ""]
    #expect(Set(names.map { UnitText.name(.backup, $0) }).count == names.count)
    #expect(UnitText.name(.backup, "a b/c") == "smilepile-backup-a\\x20b\\x2fc")
    #expect(UnitText.name(.drill, "Family-2") == "smilepile-drill-Family-2")
  }

  @Test(arguments: ["a\nb", "", "a\u{7F}", String(repeating: "x", count: 101)])
  func namesThatNoLineCanHold(_ name: String) {
    #expect(throws: ScheduledJobError.unfitName(name)) { try job(name) }
  }

  @Test func pathsThatNoLineCanHold() {
    #expect(throws: ScheduledJobError.unfitPath("/srv/a\nOnFailure=x", job: "Family")) {
      try job(library: "/srv/a\nOnFailure=x")
    }
    #expect(throws: ScheduledJobError.unfitPath("srv", job: "Family")) { try job(library: "srv") }
  }

  /// A mark is read back, whatever the names in it.
  @Test func marksAreReadBack() {
    for name in ["Family", #"a"b"#, #"a\"#, #"a" of "/x"#] {
      for file in ["/x", #"/a"b\"#, #"/etc/" of "/x"#] as [FilePath] {
        #expect(ScheduledJob.name(in: ScheduledJob.mark(of: name, in: file), of: file) == name)
      }
    }
    #expect(ScheduledJob.name(in: ScheduledJob.mark(of: "a", in: "/x"), of: "/y") == nil)
  }
}
