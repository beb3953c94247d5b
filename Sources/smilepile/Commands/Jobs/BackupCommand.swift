import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
import Operations

struct BackupCommand: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Run backup jobs: import inboxes, export, verify, copy, prune.",
    discussion: """
      Runs the given jobs, or all jobs of the job file, one after the other. A job that fails does not stop the \
      next one. Each job prints one line. A job whose library has not changed writes no archive.

      Options override environment variables, and these override the job file. With -l, the job's status does not \
      change, and nothing is pruned. With several jobs, the exit code is the worst one.

      Example:
        smilepile backup family
      """)

  @Flag(help: "Write an archive even if the library has not changed.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "Wait at most this long for another run of the job or another process that changes the library; default: the job's lock-wait, or 60.",
      valueName: "seconds"))
  var lockWait: Double?

  @Flag(
    help:
      "Refuse destinations on the root file system; the same as require-mount: true in the job file."
  )
  var requireMount = false

  @OptionGroup var choice: JobChoice
  @OptionGroup var reporter: Reporter

  func validate() throws {
    if let lockWait { try checkLockWait(lockWait) }
  }

  func run() async throws {
    let chosen = try choice.read()
    var environment = JobEnvironment.ofThisProcess(reporter)
    environment.isForced = force
    var succeeded = 0
    let worst = try await reporter.each(chosen) { job in
      var job = job
      job.lockWait = lockWait ?? job.lockWait
      if requireMount { job.requireMounts() }
      let report = try await reporter.follow(.backup(job, environment))
      show(report, job)
      let status = report.run.exitCode.flatMap(ExitStatus.init) ?? .failed
      if status == .done { succeeded += 1 }
      return status
    } failed: { job, error in
      show(error, of: job)
    }
    try reporter.finish(worst, ["jobs": chosen.count, "succeeded": succeeded, "exit_code": worst.rawValue])
  }

  /// Reports why a job was not started.
  private func show(_ error: any Error, of job: Job) {
    let isStopped = error.cause == .cancelled
    let outcome: JobStatus.Outcome = isStopped ? .interrupted : .failed
    let message = isStopped ? JobReport.notBegun : JobMessage.text(of: error)
    reporter.error(Finding(.job(job.name), message), during: "backup")
    reporter.result("\(job.name): \(outcome.rawValue)")
    json(job, outcome, ExitStatus(for: error).rawValue, message, nil)
  }

  private func show(_ report: JobReport, _ job: Job) {
    let run = report.run
    for warning in report.warnings { reporter.warn("\(job.name): \(warning)") }
    for error in report.errors { reporter.error(Finding(.job(job.name), error), during: "backup") }
    reporter.importantResult("\(job.name): \(Self.line(run))")
    json(job, run.outcome, run.exitCode ?? 1, run.message, run)
  }

  /// - Parameter run: nil if the job was not started.
  private func json(
    _ job: Job, _ outcome: JobStatus.Outcome, _ exitCode: Int32, _ message: String?,
    _ run: JobStatus.RunRecord?
  ) {
    reporter.json(
      "job",
      [
        "job": job.name, "outcome": outcome.rawValue, "exit_code": exitCode, "message": message,
        "archives": run?.archives ?? [], "photos": run?.photos ?? 0, "bytes": run?.bytes ?? 0,
        "archive_bytes": run?.archiveBytes ?? 0, "missing": run?.missing ?? [],
        "removed": run?.destinations.flatMap(\.removed) ?? [], "backups_imported": run?.inbox?.backups ?? 0,
        "photos_imported": run?.inbox?.photos ?? 0, "backups_unreadable": run?.inbox?.unreadable ?? 0,
        "warnings": run?.warnings ?? [], "started_at": run?.startedAt, "finished_at": run?.finishedAt,
      ])
  }

  /// Returns the result in one line: `done, 120 photos, 310 MiB in 2 copies, 1 archive removed; /backups/…zip`.
  private static func line(_ run: JobStatus.RunRecord) -> String {
    let archive = run.archives.first.map { "; \($0.escaped)" } ?? ""
    switch run.outcome {
    case .running, .failed, .interrupted, .notBegun: return run.outcome.rawValue
    case .unchanged: return "unchanged, \(Count(run.photos, "photo"))\(imports(run))\(archive)"
    case .done, .incomplete:
      let copies = run.destinations.count { !$0.archives.isEmpty }
      let removed = run.destinations.reduce(0) { $0 + $1.removed.count }
      return "\(run.outcome.rawValue), \(Count(run.photos, "photo")), \(ByteCount(run.bytes)) in "
        + "\(Count(copies, "copy", "copies"))"
        + (removed == 0 ? "" : ", \(Count(removed, "archive")) removed") + imports(run) + archive
    }
  }

  private static func imports(_ run: JobStatus.RunRecord) -> String {
    let count = run.inbox?.backups ?? 0
    return count == 0 ? "" : ", \(Count(count, "backup")) of phones imported"
  }
}
