import Backup
import FileSystem
import Foundation
import Logging
import Operations
import SystemPackage

extension Work where Summary == JobReport {
  /// Starts a run of a job: its hooks, the export, the copies, the retention, and its status files. What fails stands
  /// in the report, and in the status file.
  ///
  /// The summary throws `JobError.running` if the job is running already, `JobError.noLibrary`, or `FileError` where the
  /// state folder cannot be used; nothing was begun then.
  public static func backup(_ job: Job, _ context: JobContext) -> Self {
    Work { counter in try JobRun(job, context, counter).run() }
  }
}

/// One run of a job, from its first hook to its last.
public struct JobRun {
  private let job: Job
  private let library: FilePath
  private let context: JobContext
  private let counter: ProgressCounter
  private static let logger = Logger(label: "smilepile.job")

  /// Prepares a run.
  public init(_ job: Job, _ context: JobContext, _ counter: ProgressCounter) throws(JobError) {
    guard let library = job.library else { throw .noLibrary(job.name) }
    self.job = job
    self.library = library
    self.context = context
    self.counter = counter
  }

  /// Blocks until it is done.
  public func run() throws -> JobReport {
    let lock = try context.state.lock(
      job.name, waiting: .seconds(job.lockWait), whileWaiting: counter.waitForWriter)
    var status = context.state.status(of: job.name)
    let last = status.run
    var run = JobStatus.RunRecord(startedAt: context.now().milliseconds)
    if let last, last.outcome == .running {
      run.warnings.append(
        "the run of \(Self.text(last.startedAt)) was cut off before its end; what it had begun to write is swept"
      )
    }
    status.library = library.string
    status.run = run
    save(status, &run)

    let failure = perform(&run, &status)
    run.finishedAt = context.now().milliseconds
    runHooks(after: &run, failure)
    status.failures = run.outcome.isSuccess ? 0 : status.failures + 1
    if run.outcome.isSuccess { status.lastSuccess = run }
    status.run = run
    save(status, &run)
    status.run = run
    lock.release()
    return JobReport(status: status, run: run, error: failure)
  }

  /// - Returns: what ended it, if it failed.
  private func perform(_ run: inout JobStatus.RunRecord, _ status: inout JobStatus) -> (any Error)? {
    do {
      try hook("before", job.hooks.before, run)
      var backup = JobBackup(job, library, context, counter)
      defer { status.copies = backup.copies.isEmpty ? status.copies : backup.copies }
      do {
        try backup.run()
      } catch {
        backup.fill(&run)
        throw error
      }
      backup.fill(&run)
      return nil
    } catch {
      run.outcome = error is CancellationError ? .interrupted : .failed
      run.exitCode = context.exitCode(error)
      run.message = error is CancellationError ? "stopped; nothing was left behind" : "\(error)"
      return error
    }
  }

  // MARK: Hooks

  private func runHooks(after run: inout JobStatus.RunRecord, _ failure: (any Error)?) {
    if run.outcome.isSuccess { attempt("after", job.hooks.after, &run) }
    if !run.outcome.isSuccess { attempt("on-failure", job.hooks.onFailure, &run) }
    attempt("finally", job.hooks.finally, &run)
  }

  /// A hook that fails makes a complete run incomplete: somebody counts on what it does.
  private func attempt(_ name: String, _ command: String?, _ run: inout JobStatus.RunRecord) {
    do {
      try hook(name, command, run, isCancelled: { false })
    } catch {
      run.warnings.append("\(error)")
      guard run.outcome.isSuccess else { return }
      run.outcome = .incomplete
      run.exitCode = JobStatus.incompleteCode
      run.message = "\(error)"
    }
  }

  private func hook(
    _ name: String, _ command: String?, _ run: JobStatus.RunRecord, isCancelled: (() -> Bool)? = nil
  ) throws {
    guard let command else { return }
    let counter = counter
    try HookRun(
      name: name, command: command, environment: facts(name, run), timeLimit: job.hooks.timeLimit,
      isCancelled: isCancelled ?? { counter.isCancelled }
    ).run()
  }

  private func facts(_ hook: String, _ run: JobStatus.RunRecord) -> [String: String] {
    let now = run.finishedAt ?? context.now().milliseconds
    return [
      "SMILEPILE_JOB": job.name,
      "SMILEPILE_HOOK": hook,
      "SMILEPILE_LIBRARY": library.string,
      "SMILEPILE_DESTINATION": job.destinations.first?.path.string ?? "",
      "SMILEPILE_OUTCOME": run.outcome.rawValue,
      "SMILEPILE_EXIT_CODE": run.exitCode.map { "\($0)" } ?? "",
      "SMILEPILE_MESSAGE": run.message ?? "",
      "SMILEPILE_ARCHIVE": run.archives.first ?? "",
      "SMILEPILE_ARCHIVES": run.archives.joined(separator: "\n"),
      "SMILEPILE_PHOTOS": "\(run.photos)",
      "SMILEPILE_BYTES": "\(run.bytes)",
      "SMILEPILE_ARCHIVE_BYTES": "\(run.archiveBytes)",
      "SMILEPILE_MISSING": "\(run.missing.count)",
      "SMILEPILE_STARTED_AT": "\(run.startedAt)",
      "SMILEPILE_SECONDS": "\(max(0, now - run.startedAt) / 1000)",
      "SMILEPILE_STATUS_FILE": context.state.statusPath(of: job.name).string,
    ]
  }

  // MARK: Status

  /// A status that cannot be written is no reason not to back up, and is said.
  private func save(_ status: JobStatus, _ run: inout JobStatus.RunRecord) {
    func attempt(_ body: () throws -> Void) {
      do {
        try body()
      } catch {
        Self.logger.warning("the status of job \(job.name) cannot be written: \(error)")
        let warning = "its status cannot be written: \(error)"
        if !run.warnings.contains(warning) { run.warnings.append(warning) }
      }
    }
    attempt { try context.state.save(status) }
    if let file = job.statusFile { attempt { try Self.replace(file, with: status.json()) } }
    if let file = job.prometheusFile {
      attempt { try Self.replace(file, with: [UInt8](PrometheusText(status).text.utf8)) }
    }
  }

  /// Readable by all: it is for other programs, which run as other users.
  private static func replace(_ file: FilePath, with bytes: [UInt8]) throws {
    guard let name = file.lastComponent else { return }
    let folder = file.removingLastComponent()
    try ReplacedFile.write(
      bytes, as: FilePath(name.string), in: folder.isEmpty ? "." : folder, mode: 0o644)
  }

  private static func text(_ milliseconds: Int64) -> String {
    Date(milliseconds: milliseconds).formatted(.iso8601)
  }
}

extension JobStatus {
  /// The exit code of a run of which something is absent.
  static let incompleteCode: Int32 = 3
}
