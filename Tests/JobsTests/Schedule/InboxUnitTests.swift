import FileSystem
import Foundation
import Processes
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

@Suite(.waitsForPrograms) struct InboxUnitTests {
  private let folder = ScratchFolder()

  private static let hasAnalyze =
    ChildProcess.find("systemd-analyze") != nil
    || ProcessInfo.processInfo.environment["SMILEPILE_NEEDS_ALL"] != nil

  private func job(_ inboxes: [FilePath], polls: Bool = false) throws -> ScheduledJob {
    var job = Job(name: "family")
    job.library = "/srv/Family"
    job.inboxes = inboxes.map { Inbox(path: $0) }
    var scheduled = try ScheduledJob(
      job, in: "/etc/smilepile/config.yaml", library: nil, program: "/bin/true",
      environment: ["HOME": "/root"])
    scheduled.pollsInboxes = polls
    return scheduled
  }

  private func texts(_ job: ScheduledJob) -> [String: String] {
    let texts = SystemdSchedule(.system, folder: folder.path, environment: [:]).texts(of: job)
    return Dictionary(
      texts.map { (FilePath($0.path).lastComponent?.string ?? "", $0.text) },
      uniquingKeysWith: { first, _ in first })
  }

  @Test("Systemd unit: a path unit watches each inbox, and its service waits for the upload to end")
  func pathUnit() throws {
    let texts = texts(try job(["/srv/inbox/anna", "/srv/100% ben"]))
    #expect(Set(texts.keys) == ["smilepile-inbox-family.service", "smilepile-inbox-family.path"])
    let path = texts["smilepile-inbox-family.path"] ?? ""
    #expect(path.contains("PathChanged=/srv/inbox/anna\nPathChanged=/srv/100%% ben\n"))
    #expect(path.contains("WantedBy=paths.target"))
    let service = texts["smilepile-inbox-family.service"] ?? ""
    #expect(service.contains(#""inbox" "--config" "/etc/smilepile/config.yaml" "--wait" "--" "family""#))
    #expect(service.contains("StartLimitIntervalSec=0"))
    #expect(service.contains("ReadWritePaths=\"-/srv/inbox/anna\""))
  }

  @Test("Systemd unit: a timer looks into an inbox on a network file system every minute")
  func timer() throws {
    let texts = texts(try job(["/srv/inbox"], polls: true))
    #expect(texts["smilepile-inbox-family.timer"]?.contains("OnCalendar=minutely") == true)
    #expect(texts["smilepile-inbox-family.path"] != nil)
  }

  @Test("Systemd unit: a job without an inbox has no unit for one")
  func noInbox() throws {
    #expect(texts(try job([])) == [:])
  }

  @Test("Systemd unit: `systemd-analyze verify` accepts the units of an inbox", .enabled(if: hasAnalyze))
  func analyzeVerify() throws {
    for (name, text) in texts(try job(["/srv/inbox/anna", "/srv/My Inbox"], polls: true)) {
      try folder.write(text, to: name)
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path.string)
      .map { folder.path($0).string }
    #expect(files.count == 3)
    let result = try ScheduleProgram(name: "systemd-analyze").run(["verify", "--man=no"] + files)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty, "\(result.message)")
  }

  @Test("Cron: an inbox is read every minute, and its output is not mailed")
  func cron() throws {
    let text = try CrontabBlock(job: job(["/srv/inbox"])).text()
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("* * * * *") })
    #expect(line.hasSuffix("inbox --config /etc/smilepile/config.yaml --quiet -- family >/dev/null 2>&1"))
    #expect(CrontabBlock.isOurs(String(line)))
  }
}
