import FileSystem
import Foundation
import Processes
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

@Suite(.waitsForPrograms) struct UnitTests {
  private let folder = ScratchFolder()

  private static let hasAnalyze =
    ChildProcess.find("systemd-analyze") != nil
    || ProcessInfo.processInfo.environment["SMILEPILE_NEEDS_ALL"] != nil

  private func job(
    _ name: String = "Family", library: FilePath = "/srv/Family", runsCommands: Bool = false,
    passwordFile: FilePath? = nil, schedule: Schedule? = .defaultForRestoreTests
  ) throws -> ScheduledJob {
    var job = Job(name: name)
    job.library = library
    job.destinations = [JobDestination(path: "/backups"), JobDestination(path: "/backups")]
    job.password = passwordFile.map { .file($0) }
    job.hooks.before = runsCommands ? "true" : nil
    (job.schedule, job.restoreTestSchedule) = (schedule, .defaultForRestoreTests)
    return try ScheduledJob(
      job, in: "/etc/smilepile/config.yaml", library: nil, program: "/bin/true",
      environment: ["HOME": "/root"])
  }

  private func write(_ job: ScheduledJob, _ scope: UnitScope) throws -> [FilePath] {
    try SystemdSchedule(scope, folder: folder.path, environment: [:]).texts(of: job).map { text in
      try folder.write(text.text, to: FilePath(text.path).lastComponent?.string ?? "")
      return FilePath(text.path)
    }
  }

  @Test(
    "Systemd unit: `systemd-analyze verify` accepts unusual paths and every frequency",
    .enabled(if: hasAnalyze),
    arguments: [
      "/srv/Family", "/home/a/My Photos", "/home/100%/x", "/srv/$HOME", #"/srv/it's "mine""#,
      #"/srv/back\slash\n"#,
      "/srv/Käse/日本", "/srv/#;!@+-:", "/srv/{a,b}/*?", "/srv/ leading and trailing ",
    ])
  func analyzeVerify(_ path: String) throws {
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

  /// `systemd-analyze` cannot show how systemd unquotes a word, so that the test applies the rules of
  /// systemd.syntax(7).
  @Test("Systemd unit: a quoted word is unquoted to the same word")
  func quoting() {
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

  /// Unquotes a word as systemd does: a backslash escapes the next character, and `%%` is `%`.
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

  @Test(
    "Systemd unit: `systemd-analyze security` finds no more exposure than documented",
    .enabled(if: hasAnalyze), arguments: [(false, 18), (true, 50)])
  func analyzeSecurity(runsCommands: Bool, threshold: Int) throws {
    let service = try write(job(runsCommands: runsCommands), .system)[0]
    let result = try ScheduleProgram(name: "systemd-analyze")
      .run(["security", "--offline=true", "--threshold=\(threshold)", service.string])
    #expect(result.status == 0, "\(String(decoding: result.output.suffix(200), as: UTF8.self))")
  }

  @Test("Systemd unit: a job with commands keeps devices, the network and setgid programs")
  func commandsOfRoot() throws {
    let text = UnitText(job: try job(runsCommands: true), task: .backup, scope: .system).service
    for key in [
      "NoNewPrivileges", "PrivateNetwork", "PrivateDevices", "ProtectClock", "PrivateTmp", "DeviceAllow",
    ] {
      #expect(!text.contains("\(key)="))
    }
    for key in ["LockPersonality", "RestrictRealtime", "RestrictNamespaces", "ProtectKernelModules"] {
      #expect(text.contains("\(key)=true"))
    }
  }

  @Test("Systemd unit: a job of a user with commands has no restriction that implies NoNewPrivileges")
  func commandsOfUser() throws {
    let text = UnitText(job: try job(runsCommands: true), task: .backup, scope: .user).service
    for key in [
      "SystemCall", "MemoryDenyWriteExecute", "Restrict", "ProtectKernel", "ProtectClock", "ProtectHostname",
      "LockPersonality", "PrivateDevices",
    ] {
      #expect(!text.contains(key))
    }
  }

  @Test("Systemd unit: each writable path is listed once, and commands relax the sandbox")
  func writablePaths() throws {
    let text = UnitText(job: try job(library: "/srv/a b"), task: .backup, scope: .system).service
    #expect(
      text.contains("ReadWritePaths=\"-/srv/a b\"\nReadWritePaths=\"-/backups\"\nReadWritePaths=\"-/root/"))
    #expect(text.contains("ExecStart=:\"/bin/true\" \"backup\" \"--config\""))
    #expect(!text.contains("SuccessExitStatus"))
    // a hook may run a setgid mailer, which needs privileges, the network and the spool
    let hooked = UnitText(job: try job(runsCommands: true), task: .backup, scope: .system).service
    #expect(!hooked.contains("NoNewPrivileges"))
    #expect(!hooked.contains("PrivateNetwork"))
    #expect(hooked.contains("ProtectSystem=strict"))
    #expect(hooked.contains("-/var/spool"))
  }

  @Test("Systemd unit: a unit of the machine runs as the owner of the library", .enabled(if: geteuid() == 0))
  func owner() throws {
    let scratch = ScratchFolder()
    let library = try scratch.makeFolder("Library")
    let nobody = try #require(UserAccount(id: 65534))
    var job = Job(name: "family")
    job.library = library
    job.destinations = [JobDestination(path: "/srv/backups")]
    func scheduled() throws -> ScheduledJob {
      try ScheduledJob(
        job, in: "/etc/smilepile/config.yaml", library: nil, program: "/usr/bin/smilepile",
        environment: ["HOME": "/root"])
    }
    #expect(try scheduled().user == nil)
    chown(library.string, 65534, 65534)
    let service = UnitText(job: try scheduled(), task: .backup, scope: .system).service
    #expect(service.contains("\nUser=\(nobody.name)\n"))
    #expect(service.contains("\"HOME=\(nobody.home)\""))
    #expect(service.contains("NoNewPrivileges=true"))
    #expect(!UnitText(job: try scheduled(), task: .backup, scope: .user).service.contains("User="))
  }

  @Test("Systemd unit: the password file of the job is a readable path")
  func passwordFile() throws {
    let text = "jobs:\n  a:\n    library: /l\n    destinations: /d\n    encrypt: {password-file: /tmp/key}\n"
    let job = try #require(try JobFile(text: text, path: "/etc/c.yaml", home: nil).jobs.first)
    let scheduled = try ScheduledJob(
      job, in: "/etc/c.yaml", library: nil, program: "/bin/true", environment: [:])
    #expect(scheduled.readable == ["/tmp/key"])
  }

  /// A restore test writes to /var/tmp, which `ProtectSystem=strict` makes read-only unless it is private or listed.
  @Test(
    "Systemd unit: a restore test can write temporary files", arguments: [UnitScope.user, .system])
  func temporaryFiles(_ scope: UnitScope) throws {
    func text(_ job: ScheduledJob) -> String { UnitText(job: job, task: .restoreTest, scope: scope).service }
    let shared = "ReadWritePaths=\"-/tmp\"\nReadWritePaths=\"-/var/tmp\"\n"
    let sandboxed = try text(job())
    #expect(sandboxed.contains("PrivateTmp=true"))
    #expect(!sandboxed.contains(shared))
    let hooked = try text(job(runsCommands: true))
    #expect(!hooked.contains("PrivateTmp"))
    #expect(hooked.contains(shared))
    // with a private /var/tmp, other processes would not see a status file there
    let inside = try text(job(library: "/srv/../var/tmp/Family"))
    #expect(!inside.contains("PrivateTmp"))
    #expect(inside.contains(shared))
    #expect(inside.contains("PrivateNetwork") == (scope == .system))
    #expect(try text(job(library: "/tmpx")).contains("PrivateTmp=true"))
    #expect(try !text(job(passwordFile: "/tmp/key")).contains("PrivateTmp"))
    #expect(try text(job(passwordFile: "/root/key")).contains("PrivateTmp=true"))
  }

  @Test("Systemd unit: different job names have different unit names")
  func unitNames() {
    #expect(UnitText.name(.backup, "a_b") == "smilepile-backup-a_b")
    #expect(UnitText.name(.restoreTest, "Family-2") == "smilepile-drill-Family-2")
  }

  @Test("Systemd unit: a path with a line feed is refused")
  func unfitPath() {
    #expect(throws: ScheduledJobError.unfitPath("/srv/a\nOnFailure=x", job: "Family")) {
      try job(library: "/srv/a\nOnFailure=x")
    }
  }

  @Test("Schedule mark: the job name is read from the mark of the same job file only")
  func jobMark() {
    for name in ["Family", #"a"b"#, #"a\"#, #"a" of "/x"#] {
      for file in ["/x", #"/a"b\"#, #"/etc/" of "/x"#] as [FilePath] {
        #expect(ScheduledJob.name(in: ScheduledJob.mark(of: name, in: file), of: file) == name)
      }
    }
    #expect(ScheduledJob.name(in: ScheduledJob.mark(of: "a", in: "/x"), of: "/y") == nil)
  }
}
