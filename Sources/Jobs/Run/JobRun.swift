import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import SystemPackage

extension Work where Summary == JobReport {
  /// Starts a run of a job: hooks, export, copies, verification, retention, and status files. The summary and
  /// the status file report failures.
  ///
  /// The summary throws before the run begins: `JobError.running` if the job or its restore test is already
  /// running, which counts as a failure in the status; `JobError.noLibrary`; `JobError.newerLedger`;
  /// `FileError` if the state folder cannot be used.
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
  /// Records what this run observes of archives.
  private let operation: LedgerOperation
  private var state: RunState
  /// The entry of the run in the ledger.
  private var entry: LedgerRun

  /// Prepares a run.
  init(_ job: Job, _ context: JobContext, _ counter: ProgressCounter) throws(JobError) {
    guard let library = job.library else { throw .noLibrary(job.name) }
    self.job = job
    self.library = library
    self.context = context
    self.counter = counter
    operation = context.ledger.begin("backup \(job.name)", now: context.now)
    let now = context.now()
    let next = job.schedule?.nextRun(after: now, in: .current)
    state = RunState(startedAt: now.milliseconds, nextRunAt: next?.milliseconds)
    entry = LedgerRun(state.record, of: job.usesOtherLibrary ? nil : job.name, library: library)
  }

  /// Runs the job. Blocks.
  mutating func run() throws -> JobReport {
    let lock = try begin()
    var previous = JobStatus(job: job.name)
    if job.usesOtherLibrary {
      state.report(
        .warning(
          .library,
          "this run uses the library \(library) instead of the job's library; the job's status does not change, and "
            + "nothing is pruned"))
    } else {
      previous = context.state.status(of: job.name)
      previous.run?.warningsForNextRun.forEach { state.report(.warning(.run, $0)) }
    }
    insertRun()
    perform(after: previous)
    if let library = state.backup.libraryID {
      operation.record(state.backup.photos, ofLibrary: library)
    }
    state.hook = dueHooks.first
    saveRunAndStatus(copies: state.backup.destinations.compactMap(\.copy))
    runLastHooks()
    lock.release()
    return state.jobReport
  }

  /// Takes the job's lock. A run that could not begin counts as a failure and runs the hook on-failure.
  private mutating func begin() throws -> FileLock {
    do {
      let lock = try context.state.lock(
        job.name, waiting: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock)
      if case .newerVersion = context.ledger.problem, let problem = context.ledger.problem {
        throw JobError.newerLedger(problem)
      }
      return lock
    } catch let error as JobError where error.isOfOwnHook {
      // the hook would start the job again without end
      throw error
    } catch {
      state.report(issue(of: error, interruption: JobReport.notBegun))
      state.phasesEndedAt = context.now().milliseconds
      entry.record = JobStatus.encoded(BackupDetails(state))
      // the previous run stays the last one, since it may be running
      (entry.outcome, entry.endedAt) = (.notBegun, state.startedAt)
      context.ledger.insert(&entry)
      if !job.usesOtherLibrary { _ = context.publishStatus(of: job) }
      // the thrown error matters more than an error of the hook
      try? hooks.run(.onFailure, state.record)
      throw error
    }
  }

  /// Runs the first hook and the phases.
  private mutating func perform(after previous: JobStatus) {
    do {
      try hooks.run(.before, state.record, isCancelled: { [counter] in counter.isCancelled })
      state.backup.destinations = job.destinations.map(DestinationState.init)
      try BackupPhases(
        job: job, library: library, previous: previous, context: context, operation: operation,
        counter: counter
      ).run(&state.backup)
    } catch {
      let archives = state.backup.archives
      let interruption =
        archives.isEmpty
        ? "stopped before anything was published"
        : "stopped; the library is backed up in \(archives.joined(separator: ", "))"
      state.report(issue(of: error, interruption: interruption))
    }
    for index in state.backup.destinations.indices { state.backup.destinations[index].readFreeSpace() }
    for warning in operation.damageWarnings { state.report(.warning(.archives, warning)) }
    state.phasesEndedAt = context.now().milliseconds
  }

  /// Returns the issue of a run that did not reach its end.
  private func issue(of error: any Error, interruption: String) -> Issue {
    let isStopped = error.cause == .cancelled
    return Issue(
      severity: isStopped ? .interruption : .failure, subject: .run,
      message: isStopped ? interruption : JobMessage.text(of: error), exitCode: context.exitCode(error))
  }

  // MARK: Hooks

  private var hooks: JobHooks { JobHooks(task: .backup, job: job, library: library, context: context) }

  /// The hooks that follow the phases.
  private var dueHooks: [JobHooks.Hook] {
    [state.outcome.isComplete ? .after : .onFailure, .finally].filter(hooks.has)
  }

  /// Runs the hooks at the end. Each hook can read the outcome so far in the status file.
  private mutating func runLastHooks() {
    if state.outcome.isComplete { attempt(.after, isCancelled: { [counter] in counter.isCancelled }) }
    if !state.outcome.isComplete { attempt(.onFailure) }
    let wasComplete = state.outcome.isComplete
    attempt(.finally)
    if wasComplete, !state.outcome.isComplete { attempt(.onFailure) }
    state.hook = nil
    saveRunAndStatus()
  }

  /// Runs a hook if the job has one. A failed hook makes the run incomplete. Cancellation does not stop the
  /// hooks on-failure and finally, since they may unmount a disk.
  private mutating func attempt(_ hook: JobHooks.Hook, isCancelled: @escaping () -> Bool = { false }) {
    guard hooks.has(hook) else { return }
    if state.hook != hook {
      state.hook = hook
      saveRunAndStatus()
    }
    do {
      try hooks.run(hook, state.record, isCancelled: isCancelled)
    } catch {
      state.report(
        error.cause == .cancelled
          ? Issue(
            severity: .interruption, subject: .hook, message: "\(error)", exitCode: context.exitCode(error))
          : .incomplete(.hook, "\(error)"))
    }
  }

  // MARK: Ledger and status

  /// Inserts the run into the ledger, and publishes the job's status.
  private mutating func insertRun() {
    entry.record = JobStatus.encoded(BackupDetails(state))
    context.ledger.insert(&entry)
    publishStatus()
  }

  /// Writes the results of the run so far to the ledger, and publishes the job's status.
  private mutating func saveRunAndStatus(copies: [CopyRecord] = []) {
    updateLedger(copies: job.usesOtherLibrary ? [] : copies)
    let saved = state.record
    publishStatus()
    // the outcome depends on whether the status was published
    guard state.record != saved else { return }
    updateLedger()
    _ = context.publishStatus(of: job)
  }

  private mutating func updateLedger(copies: [CopyRecord] = []) {
    let run = state.record
    entry.libraryID = state.backup.libraryID
    (entry.outcome, entry.hook, entry.endedAt) = (run.outcome, run.hook, run.finishedAt)
    entry.counts = LedgerRun.Counts(run)
    entry.record = JobStatus.encoded(BackupDetails(state))
    context.ledger.update(&entry, copies: copies.map(\.entry))
  }

  /// Publishes the status. An error does not stop the backup but makes the run incomplete: a program that
  /// watches the file would still see the old status. A run of another library than the job's own publishes nothing.
  private mutating func publishStatus() {
    guard !job.usesOtherLibrary else { return }
    let problems = context.publishStatus(of: job)
    // what a later publication has written is no longer a problem
    state.backup.reportStatus(
      problems.map { state.phasesEndedAt == nil ? .warning(.status, $0) : .incomplete(.status, $0) })
  }
}

extension JobStatus {
  /// The exit code of a run that did not do everything that the job requires.
  static let incompleteCode: Int32 = 3
  /// The exit code of a restore test that found damage.
  static let damagedCode: Int32 = 4
}

extension JobStatus.RunRecord {
  /// The warnings that the next run reports about this run, which may have had no time to report them.
  fileprivate var warningsForNextRun: [String] {
    var warnings: [String] = []
    let time = Date(milliseconds: startedAt).formatted(.iso8601)
    switch outcome {
    case .running:
      warnings.append(
        "the run of \(time) was killed; the next archive removes its unfinished files")
    case .interrupted: warnings.append("the run of \(time) was interrupted: \(message ?? "stopped")")
    case .done, .unchanged, .incomplete, .failed, .notBegun: break
    }
    if let hook {
      let place = archives.isEmpty ? "" : ", after its archives were published"
      warnings.append(
        "the run of \(time) was killed during its hook “\(hook)”\(place); check what the hook does")
    }
    // the phase that needs the folder reports a missing folder
    for destination in destinations where FileManager.default.fileExists(atPath: destination.path) {
      warnings += destination.archives.filter { !FileManager.default.fileExists(atPath: $0) }
        .map { "\($0), which the run of \(time) wrote, is missing" }
    }
    return warnings
  }
}
