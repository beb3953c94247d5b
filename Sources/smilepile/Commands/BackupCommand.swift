import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import SystemPackage

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Run backup jobs: export, verify, copy, prune.",
    discussion: """
      Jobs stand in the job file, which `smilepile config check` checks. Without names all of them run, one after the \
      other; one that fails does not stop the next. Each ends in one line on standard output. Where nothing has \
      changed since a job's last archive, none is written, unless --force says so.

      What is on the command line wins over the environment (SMILEPILE_LIBRARY, SMILEPILE_PASSWORD), and that over the \
      job file. A run of another library than that of the job file leaves the job's status as it was, and prunes \
      nothing. The exit code is that of the job that went worst.

      A signal stops the hooks before and after, and not those that are run last, on-failure and finally; a second one \
      does not wait for them. A hook cannot start the job that it is a hook of. What happened the hooks find in their \
      environment: SMILEPILE_TASK (backup or drill), SMILEPILE_JOB, SMILEPILE_HOOK, SMILEPILE_OUTCOME (running, done, \
      unchanged, incomplete, failed or interrupted; of a drill, which calls all but after, not restored as well), \
      SMILEPILE_EXIT_CODE, SMILEPILE_MESSAGE, SMILEPILE_LIBRARY, SMILEPILE_DESTINATION, SMILEPILE_ARCHIVE, \
      SMILEPILE_ARCHIVES (one a line), SMILEPILE_PHOTOS, SMILEPILE_BYTES, SMILEPILE_ARCHIVE_BYTES, SMILEPILE_MISSING, \
      SMILEPILE_STARTED_AT (milliseconds since 1970), SMILEPILE_SECONDS and SMILEPILE_STATUS_FILE.

      Example:
        smilepile backup family
        smilepile backup --config /etc/smilepile/config.yaml --json | jq -r '.message_type'
      """)

  @Flag(help: "Write an archive even where nothing has changed.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "Wait this long for another run of the job, or for a writer of the library; default: the job's lock-wait, or 60.",
      valueName: "seconds"))
  var lockWait: Double?

  @Flag(
    help:
      "Write only to mounted file systems, never to the root's: require-mount: true for every destination that names no place of its own."
  )
  var requireMount = false

  @OptionGroup var choice: JobChoice
  @OptionGroup var output: OutputOptions

  private struct JobLine: Encodable {
    var message_type = "job"
    var job: String
    var outcome: String
    var exit_code: Int32
    var message: String?
    var archives: [String]
    var photos: Int
    var bytes: Int
    var archive_bytes: Int
    var missing: [String]
    var removed: [String]
    var warnings: [String]
    var started_at: Int64?
    var finished_at: Int64?
  }

  private struct Summary: Encodable {
    var message_type = "summary"
    var jobs: Int
    var succeeded: Int
    var exit_code: Int32
  }

  func validate() throws {
    if let lockWait { try checkLockWait(lockWait) }
  }

  func run() async throws {
    let reporter = Reporter(output)
    let chosen = try choice.read()
    var context = JobContext.ofThisProcess(reporter)
    context.isForced = force
    var worst = ExitStatus.done
    var succeeded = 0
    for (index, var job) in chosen.enumerated() {
      job.lockWait = lockWait ?? job.lockWait
      if requireMount { job.requireMounts() }
      let status = await run(job, context, reporter)
      if status == .done { succeeded += 1 }
      worst = max(worst, status)
      if let received = Signals.received {
        for other in chosen[(index + 1)...] {
          show(CancellationError(), received, of: other, reporter)
          worst = max(worst, received)
        }
        break
      }
    }
    reporter.json(Summary(jobs: chosen.count, succeeded: succeeded, exit_code: worst.rawValue))
    if worst != .done { throw worst }
  }

  private func run(_ job: Job, _ context: JobContext, _ reporter: Reporter) async -> ExitStatus {
    do {
      let report = try await reporter.follow(.backup(job, context))
      show(report, job, reporter)
      return report.run.exitCode.flatMap(ExitStatus.init) ?? .failed
    } catch {
      let status = ExitStatus(for: error)
      show(error, status, of: job, reporter)
      return status
    }
  }

  /// Says why a job was not begun.
  private func show(_ error: any Error, _ status: ExitStatus, of job: Job, _ reporter: Reporter) {
    let isStopped = error is CancellationError
    let outcome: JobStatus.Outcome = isStopped ? .interrupted : .failed
    let message = isStopped ? JobReport.notBegun : JobMessage.text(of: error)
    reporter.error(Finding(job.name, message), during: "backup")
    reporter.result("\(job.name): \(outcome.rawValue)")
    reporter.json(
      JobLine(
        job: job.name, outcome: outcome.rawValue, exit_code: status.rawValue, message: message, archives: [],
        photos: 0, bytes: 0, archive_bytes: 0, missing: [], removed: [], warnings: []))
  }

  private func show(_ report: JobReport, _ job: Job, _ reporter: Reporter) {
    let run = report.run
    let failures = run.destinations.compactMap(\.failure)
    var errors = run.missing + failures
    // it may be one of them, or all that failed
    if let message = run.message, !run.outcome.isSuccess, !errors.contains(message),
      message != failures.joined(separator: "; ")
    {
      errors.append(message)
    }
    for warning in run.warnings where !errors.contains(warning) { reporter.warn("\(job.name): \(warning)") }
    for error in errors { reporter.error(Finding(job.name, error), during: "backup") }
    reporter.lasting("\(job.name): \(Self.line(run))")
    reporter.json(
      JobLine(
        job: job.name, outcome: run.outcome.rawValue, exit_code: run.exitCode ?? 1, message: run.message,
        archives: run.archives, photos: run.photos, bytes: run.bytes, archive_bytes: run.archiveBytes,
        missing: run.missing, removed: run.destinations.flatMap(\.removed), warnings: run.warnings,
        started_at: run.startedAt, finished_at: run.finishedAt))
  }

  /// One line of result: `done, 120 photos, 310 MiB in 2 copies, 1 archive removed; /backups/…zip`.
  private static func line(_ run: JobStatus.RunRecord) -> String {
    let archive = run.archives.first.map { "; \($0.escaped)" } ?? ""
    switch run.outcome {
    case .running, .failed, .interrupted: return run.outcome.rawValue
    case .unchanged: return "unchanged, \(Count(run.photos, "photo"))\(archive)"
    case .done, .incomplete:
      let copies = run.destinations.count { !$0.archives.isEmpty }
      let removed = run.destinations.reduce(0) { $0 + $1.removed.count }
      return "\(run.outcome.rawValue), \(Count(run.photos, "photo")), \(ByteCount(run.bytes)) in "
        + "\(Count(copies, "copy", "copies"))"
        + (removed == 0 ? "" : ", \(Count(removed, "archive")) removed") + archive
    }
  }
}
