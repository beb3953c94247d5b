import ArchiveCatalog
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
  package static func backup(_ job: Job, _ context: JobContext) -> Self {
    Work { counter in
      var run = try JobRun(job, context, counter)
      return try run.run()
    }
  }
}

/// One run of a job, from its first hook to its last.
struct JobRun {
  private let job: Job
  private let library: FilePath
  private let context: JobContext
  private let counter: ProgressCounter
  /// What was known when it began.
  private var before: JobStatus
  /// The run in the ledger; nil for a run of another library than the job's own.
  private var entry: RunEntry?
  /// Whether it found every photo of the library intact.
  private var isLibraryIntact = false

  /// Prepares a run.
  init(_ job: Job, _ context: JobContext, _ counter: ProgressCounter) throws(JobError) {
    guard let library = job.library else { throw .noLibrary(job.name) }
    self.job = job
    self.library = library
    self.context = context
    self.counter = counter
    before = JobStatus(job: job.name)
  }

  /// Blocks until it is done.
  mutating func run() throws -> JobReport {
    let lock = try begin()
    var run = JobStatus.RunRecord(startedAt: context.now().milliseconds)
    if job.isOtherLibrary {
      run.warnings.append(
        "\(library) stands in for the job's own library: its status stays as it was, and nothing is pruned; where that is "
          + "meant to last, write the library into the job file")
    } else {
      recall(&run)
    }
    insert(&run)

    let backup = perform(&run)
    run.finishedAt = context.now().milliseconds
    entry?.libraryID = backup.libraryID
    isLibraryIntact = backup.isLibraryIntact
    run.hook = dueHooks(after: run).first?.rawValue
    record(&run, copies: backup.copies)
    runHooks(after: &run)
    lock.release()
    return JobReport(run: run)
  }

  /// Takes up what is known of the job.
  private mutating func recall(_ run: inout JobStatus.RunRecord) {
    before = context.state.status(of: job.name)
    if let last = before.run { run.warnings += Self.news(of: last) }
  }

  /// Takes the job's lock. A run that could not begin counts as one that failed, and whoever is told of those hears of it.
  private func begin() throws -> FileLock {
    do {
      let lock = try context.state.lock(
        job.name, waiting: .seconds(job.lockWait), whileWaiting: counter.waitForWriter)
      if case .newerVersion = context.ledger.problem, let problem = context.ledger.problem {
        throw JobError.newerLedger(problem)
      }
      return lock
    } catch let error as JobError where error.isOfOwnHook {
      // the hook would start it again, and again
      throw error
    } catch {
      var run = JobStatus.RunRecord(startedAt: context.now().milliseconds)
      let isStopped = error is CancellationError
      run.outcome = isStopped ? .interrupted : .failed
      run.message = isStopped ? JobReport.notBegun : JobMessage.text(of: error)
      run.exitCode = context.exitCode(error)
      // the last run stays the newest: it may be under way
      if !job.isOtherLibrary {
        var entry = RunEntry(run, of: job.name, library: library)
        (entry.outcome, entry.endedAt) = (RunEntry.notBegun, run.startedAt)
        context.ledger.insert(&entry)
        _ = context.state.publishStatus(of: job)
      }
      // what the hook says of itself is less than what there is to say
      try? hooks.run(.onFailure, run)
      throw error
    }
  }

  /// - Returns: what was found on the way, as what lies at the destinations that could be looked at.
  private func perform(_ run: inout JobStatus.RunRecord) -> JobBackup {
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
        run.message = JobMessage.text(of: error)
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
    if let hook = last.hook {
      let place = last.archives.isEmpty ? "" : ", when its archives were in place"
      news.append(
        "the run of \(time) was cut off in its hook “\(hook)”\(place); what that does may be half done")
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

  /// Those that are to be run yet at the end of a run.
  private func dueHooks(after run: JobStatus.RunRecord) -> [JobHooks.Hook] {
    [run.outcome.isSuccess ? .after : .onFailure, .finally].filter(hooks.has)
  }

  /// Each finds in the status file how the run has ended so far.
  private mutating func runHooks(after run: inout JobStatus.RunRecord) {
    if run.outcome.isSuccess { attempt(.after, &run, isCancelled: { [counter] in counter.isCancelled }) }
    if !run.outcome.isSuccess { attempt(.onFailure, &run) }
    let isSuccess = run.outcome.isSuccess
    attempt(.finally, &run)
    // somebody is to hear of that, too
    if isSuccess, !run.outcome.isSuccess { attempt(.onFailure, &run) }
    run.hook = nil
    record(&run)
  }

  /// A hook that fails makes a complete run incomplete: somebody counts on what it does. What is to be told or undone at
  /// the end is not stopped, since it may unmount a disk.
  private mutating func attempt(
    _ hook: JobHooks.Hook, _ run: inout JobStatus.RunRecord, isCancelled: @escaping () -> Bool = { false }
  ) {
    guard hooks.has(hook) else { return }
    if run.hook != hook.rawValue {
      run.hook = hook.rawValue
      record(&run)
    }
    do {
      try hooks.run(hook, run, isCancelled: isCancelled)
    } catch {
      run.warnings.append("\(error)")
      guard run.outcome.isSuccess else { return }
      run.outcome = error.isCancellation ? .interrupted : .incomplete
      run.exitCode = error.isCancellation ? context.exitCode(CancellationError()) : JobStatus.incompleteCode
      run.message = "\(error)"
    }
  }

  // MARK: Status

  /// Inserts the run into the ledger, and publishes the job's status. A run of another library than the job's own leaves
  /// both unchanged.
  private mutating func insert(_ run: inout JobStatus.RunRecord) {
    guard !job.isOtherLibrary else { return }
    var entry = RunEntry(run, of: job.name, library: library)
    context.ledger.insert(&entry)
    self.entry = entry
    publish(&run)
  }

  /// Writes what became of the run so far, and publishes the job's status.
  private mutating func record(_ run: inout JobStatus.RunRecord, copies: [JobStatus.Copy] = []) {
    guard entry != nil else { return }
    // the outcome of this run may depend on whether its status can be published
    write(run, copies: copies)
    let before = run
    publish(&run)
    guard run != before else { return }
    write(run)
    _ = context.state.publishStatus(of: job)
  }

  private mutating func write(_ run: JobStatus.RunRecord, copies: [JobStatus.Copy] = []) {
    guard var entry else { return }
    (entry.outcome, entry.hook, entry.endedAt) = (run.outcome.rawValue, run.hook, run.finishedAt)
    entry.record = JobStatus.encoded(BackupRecord(run: run, isLibraryIntact: isLibraryIntact))
    context.ledger.update(&entry, copies: copies.map(\.entry))
    self.entry = entry
  }

  /// Publishes the status. A status that cannot be written is no reason not to back up, and makes the run incomplete:
  /// a program that watches the file would go on seeing the old one.
  private func publish(_ run: inout JobStatus.RunRecord) {
    let errors = context.state.publishStatus(of: job)
    let problem: String? =
      switch context.ledger.problem {
      case .movedAside?: context.ledger.problem.map { "\($0)" }
      case .unusable?, .newerVersion?, nil:
        (context.ledger.problem ?? errors.first).map { "its status cannot be written: \($0)" }
      }
    guard let problem else { return }
    if !run.warnings.contains(problem) { run.warnings.append(problem) }
    guard run.finishedAt != nil, run.outcome.isSuccess else { return }
    (run.outcome, run.exitCode, run.message) = (.incomplete, JobStatus.incompleteCode, problem)
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
