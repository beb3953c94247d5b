import Backup
import FileSystem
import Foundation
import Operations
import SystemPackage

extension Work where Summary == JobReport {
  /// Starts a run of a job: its hooks, the export, the copies, the retention, and its status files. What fails stands
  /// in the report, and in the status file.
  ///
  /// The summary throws `JobError.running` if the job is running already, or is being drilled, which counts as a failure
  /// in the status; `JobError.noLibrary`, or `FileError` where the state folder cannot be used. Nothing was begun then.
  public static func backup(_ job: Job, _ context: JobContext) -> Self {
    Work { counter in try JobRun(job, context, counter).run() }
  }
}

/// One run of a job, from its first hook to its last.
struct JobRun {
  private let job: Job
  private let library: FilePath
  private let context: JobContext
  private let counter: ProgressCounter

  /// Prepares a run.
  init(_ job: Job, _ context: JobContext, _ counter: ProgressCounter) throws(JobError) {
    guard let library = job.library else { throw .noLibrary(job.name) }
    self.job = job
    self.library = library
    self.context = context
    self.counter = counter
  }

  /// Blocks until it is done.
  func run() throws -> JobReport {
    let lock = try begin()
    var before = JobStatus(job: job.name)
    var run = JobStatus.RunRecord(startedAt: context.now().milliseconds)
    if job.isOtherLibrary {
      run.warnings.append(
        "\(library) stands in for the job's own library, and its status stays as it was; where that is meant to last, "
          + "write the library into the job file")
    } else {
      before = context.state.status(of: job)
      if let last = before.run { run.warnings += Self.news(of: last) }
      if let fault = context.state.fault(of: job.name) {
        let told = job.statusFile.flatMap { before == JobStatus(job: job.name) ? nil : $0 }
        let rest =
          told.map { "what \($0) says of earlier runs is taken" } ?? "what was known of earlier runs is lost"
        run.warnings.append("\(fault); \(rest)")
      }
    }
    update(&run) { status in status.expect(library: library) }

    let backup = perform(&run, before)
    let (start, end) = (run.startedAt, context.now().milliseconds)
    run.finishedAt = end
    let isBackedUp = run.outcome.isSuccess || run.outcome == .incomplete
    if isBackedUp { before.note(library: library, number: backup.libraryID) }
    // the hooks are told of the status file, and may change how the run ends
    record(&run, before) { status in
      if isBackedUp { status.note(library: library, number: backup.libraryID) }
      Self.note(backup.copies, backup.readBack.damaged, from: start, to: end, of: job, &status)
    }
    runHooks(after: &run)
    record(&run, before)
    lock.release()
    return JobReport(run: run)
  }

  /// Takes the job's lock. A run that could not begin counts as one that failed, and whoever is told of those hears of it.
  private func begin() throws -> FileLock {
    do {
      return try context.state.lock(
        job.name, waiting: .seconds(job.lockWait), whileWaiting: counter.waitForWriter)
    } catch let error as CancellationError {
      throw error
    } catch {
      var run = JobStatus.RunRecord(startedAt: context.now().milliseconds)
      run.outcome = .failed
      run.message = "\(error)"
      run.exitCode = context.exitCode(error)
      // the record of the last run stays: it may be under way
      if !job.isOtherLibrary { _ = context.state.update(job) { $0.failures += 1 } }
      // what the hook says of itself is less than what there is to say
      try? hooks.run(.onFailure, run, isCancelled: { counter.isCancelled })
      throw error
    }
  }

  /// - Returns: what was found on the way, as what lies at the destinations that could be looked at.
  private func perform(_ run: inout JobStatus.RunRecord, _ before: JobStatus) -> JobBackup {
    var backup = JobBackup(job, library, before, context, counter)
    do {
      try hooks.run(.before, run, isCancelled: { counter.isCancelled })
      do {
        try backup.run()
      } catch {
        backup.fill(&run)
        throw error
      }
      backup.fill(&run)
    } catch {
      let isStopped = error is CancellationError || (error as? HookRun.Failure)?.isCancellation == true
      run.exitCode = context.exitCode(isStopped ? CancellationError() : error)
      if isStopped {
        run.outcome = .interrupted
        run.message =
          run.archives.isEmpty
          ? "stopped; nothing was left behind"
          : "stopped; the library as it is lies in \(run.archives.joined(separator: ", "))"
      } else {
        run.outcome = .failed
        run.message = "\(error)"
      }
    }
    return backup
  }

  /// What there is to say of the run before, which may have had nobody to say it to.
  private static func news(of last: JobStatus.RunRecord) -> [String] {
    var news: [String] = []
    let time = text(last.startedAt)
    switch last.outcome {
    case .running:
      news.append(
        "the run of \(time) was cut off before its end; what it had begun to write goes with the next archive"
      )
    case .interrupted: news.append("the run of \(time) did not come to its end: \(last.message ?? "stopped")")
    case .done, .unchanged, .incomplete, .failed: break
    }
    for destination in last.destinations {
      // a folder that is not there is said by whoever looks at it
      guard FileManager.default.fileExists(atPath: destination.path) else { continue }
      news += destination.archives.filter { !FileManager.default.fileExists(atPath: $0) }
        .map { "\($0), which the run of \(time) left there, is gone" }
    }
    return news
  }

  // MARK: Hooks

  private var hooks: JobHooks { JobHooks(task: .backup, job: job, library: library, context: context) }

  private func runHooks(after run: inout JobStatus.RunRecord) {
    if run.outcome.isSuccess { attempt(.after, &run) }
    if !run.outcome.isSuccess { attempt(.onFailure, &run) }
    attempt(.finally, &run)
  }

  /// A hook that fails makes a complete run incomplete: somebody counts on what it does.
  private func attempt(_ hook: JobHooks.Hook, _ run: inout JobStatus.RunRecord) {
    do {
      try hooks.run(hook, run)
    } catch {
      run.warnings.append("\(error)")
      guard run.outcome.isSuccess else { return }
      run.outcome = .incomplete
      run.exitCode = JobStatus.incompleteCode
      run.message = "\(error)"
    }
  }

  // MARK: Status

  /// Notes how a run ended.
  ///
  /// - Parameters:
  ///   - before: what was known when it began.
  ///   - more: notes more than that.
  private func record(
    _ run: inout JobStatus.RunRecord, _ before: JobStatus, more: (inout JobStatus) -> Void = { _ in }
  ) {
    let isSuccess = run.outcome.isSuccess
    let current = run
    update(&run) { status in
      more(&status)
      status.failures = isSuccess ? 0 : before.failures + 1
      status.lastSuccess = isSuccess ? current : before.lastSuccess
    }
  }

  /// Notes what lies at the destinations that could be looked at; what is known of the others ages.
  private static func note(
    _ copies: [JobStatus.Copy], _ damaged: Set<String>, from start: Int64, to end: Int64, of job: Job,
    _ status: inout JobStatus
  ) {
    // a drill may have learnt something of any of them meanwhile
    let known = status.copies
    status.copies = job.destinations.map(\.path.string).compactMap { path in
      var old = known.first { $0.path == path }
      guard var copy = copies.first(where: { $0.path == path }) else {
        old?.noteReach()
        if old?.archives.contains(where: damaged.contains) == true { old?.doubt(since: end) }
        return old
      }
      guard let old else { return copy }
      if let doubtedAt = old.doubtedAt, doubtedAt >= start,
        copy.archives.contains(where: old.archives.contains)
      {
        copy.doubt(since: doubtedAt)
      } else if let verifiedAt = old.verifiedAt, old.archive == copy.archive, old.files == copy.files {
        copy.note(verifiedAt: verifiedAt)
      }
      return copy
    }
  }

  /// A status that cannot be written is no reason not to back up, and makes the run incomplete. That of the job's own
  /// library is not changed by a run of another.
  private func update(_ run: inout JobStatus.RunRecord, _ change: (inout JobStatus) -> Void) {
    if job.isOtherLibrary { return }
    let current = run
    let errors = context.state.update(job) { status in
      status.run = current
      change(&status)
    }
    guard let error = errors.first else { return }
    let what = "its status cannot be written: "
    if !run.warnings.contains(where: { $0.hasPrefix(what) }) { run.warnings.append("\(what)\(error)") }
    guard run.finishedAt != nil, run.outcome.isSuccess else { return }
    // somebody watches that file, and would take the old one for the truth
    (run.outcome, run.exitCode, run.message) = (.incomplete, JobStatus.incompleteCode, "\(what)\(error)")
  }

  private static func text(_ milliseconds: Int64) -> String {
    Date(milliseconds: milliseconds).formatted(.iso8601)
  }
}

extension JobStatus {
  /// The exit code of a run of which something is absent.
  static let incompleteCode: Int32 = 3
  /// The exit code of a drill that found damage.
  static let damagedCode: Int32 = 4
}
