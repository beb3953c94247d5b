import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations

extension Work where Summary == JobReport {
  /// Starts a backup of a job: hooks, export, copies, verification, retention, and status files. The summary and
  /// the status file report failures.
  ///
  /// The summary throws before the backup begins:
  ///
  /// - `JobError.running` if the job or its restore test is already running; the status counts it as a failure;
  /// - `JobError.noLibrary`, `JobError.newerLedger`;
  /// - `FileError` if the state folder cannot be used.
  package static func backup(_ job: Job, _ environment: JobEnvironment) -> Self {
    Work { counter in
      let input = try RunInput(.backup, of: job, environment, counter)
      return try JobRun(input, BackupPhases(input: input)).run()
    }
  }

  /// Starts a restore test. Restores from the newest archive at each destination of a job into a scratch library,
  /// compares the photos with the live library byte for byte, and reads each image's header. Writes a dated report into
  /// the state folder. Only reads the live library. Removes the scratch library.
  ///
  /// The summary reports failed restores, and the error that stopped the test: a busy library, a wrong password, a
  /// cancellation. Such an error makes no archive suspect. The summary throws before the test begins:
  ///
  /// - `JobError.running` if a restore test of the job is running, or if the job has the hook `before` and its backup is
  ///   running;
  /// - `JobError.noLibrary`;
  /// - `FileError` if the state folder cannot be used.
  package static func restoreTest(
    _ job: Job, _ environment: JobEnvironment, options: RestoreTestOptions = RestoreTestOptions()
  ) -> Self {
    Work { counter in
      let input = try RunInput(.restoreTest, of: job, environment, counter)
      return try JobRun(input, RestoreTestPhases(input: input, options: options)).run()
    }
  }
}

/// One run of a job, from its first hook to its last: a backup or a restore test.
struct JobRun: RunPart {
  let input: RunInput
  private let phases: any RunPhases
  private let hooks: JobHooks
  private var state: RunState
  /// The entry of the run in the ledger.
  private var entry: LedgerRun

  /// Prepares a run.
  init(_ input: RunInput, _ phases: any RunPhases) {
    (self.input, self.phases, hooks) = (input, phases, JobHooks(input: input))
    let (job, now, isTest) = (input.job, input.environment.now(), input.isTest)
    let next = job.schedule?.nextRun(after: now, in: .current)
    state = RunState(startedAt: Timestamp(now), nextRunAt: next.map(Timestamp.init))
    state.results.isOfJob = !job.usesOtherLibrary
    state.results.test = isTest ? RestoreTestReport() : nil
    entry = LedgerRun(
      isTest ? .restoreTest : .backup, libraryPath: input.library, startedAt: Timestamp(now))
  }

  /// Runs the job. Blocks.
  consuming func run() throws -> JobReport {
    let locks = try begin()
    defer { withExtendedLifetime(locks) {} }
    let previous = job.usesOtherLibrary ? JobStatus(job: job.name) : environment.state.status(of: job.name)
    if !isTest { reportWarnings(after: previous) }
    updateEntry()
    environment.ledger.insert(&entry)
    // a restore test changes the status at its end
    if !isTest { publishStatus() }
    perform(after: previous)
    state.hook = [hasFailed ? .onFailure : .after, .finally].first(where: hooks.has)
    saveRunAndStatus(copies: state.results.destinations.compactMap(\.copy))
    runLastHooks()
    return state.jobReport
  }

  /// Takes the locks. A run that could not begin counts as a failure and runs the hook on-failure.
  private mutating func begin() throws -> Locks {
    do {
      return try takeLocks()
    } catch let error as JobError where error.isOfOwnHook || isTest {
      // the hook would start the job again without end, or unmount a disk that the other run uses
      throw error
    } catch {
      state.report(issue(of: error, interruption: JobReport.notBegun))
      state.phasesEndedAt = Timestamp(now)
      updateEntry()
      // the previous run stays the last one, since it may be running
      (entry.outcome, entry.endedAt) = (.notBegun, state.startedAt)
      environment.ledger.insert(&entry)
      if !job.usesOtherLibrary { _ = environment.writeStatusFiles(of: job) }
      // the thrown error matters more than an error of the hook
      if hasFailed { try? hooks.run(.onFailure, state) }
      throw error
    }
  }

  /// The locks of a run.
  private struct Locks: ~Copyable {
    let own: FileLock
    var backup: FileLock?
  }

  private func takeLocks() throws -> Locks {
    guard isTest else {
      let lock = try lockBackup()
      if case .newerVersion = environment.ledger.problem, let problem = environment.ledger.problem {
        throw JobError.newerLedger(problem)
      }
      return Locks(own: lock)
    }
    let lock = try environment.state.lock(
      job.name, isRestoreTest: true, waiting: .zero, whileWaiting: counter.checkCancellation)
    // during a backup, the hooks could mount or unmount the disk that the backup uses
    guard job.hooks.before != nil else { return Locks(own: lock) }
    return Locks(own: lock, backup: try lockBackup())
  }

  private func lockBackup() throws -> FileLock {
    try environment.state.lock(
      job.name, waiting: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock)
  }

  /// Reports what a person should know before a backup.
  private mutating func reportWarnings(after previous: JobStatus) {
    previous.run?.warningsForNextRun.forEach { state.report(.warning(.run, $0)) }
    guard job.usesOtherLibrary else { return }
    state.report(
      .warning(
        .library,
        "this run uses the library \(library) instead of the job's library; the job's status does not change, and "
          + "nothing is pruned"))
  }

  /// Runs the first hook and the phases.
  private mutating func perform(after previous: JobStatus) {
    do {
      try hooks.run(.before, state, isCancelled: { [counter] in counter.isCancelled })
      try phases.run(&state.results, after: previous)
    } catch {
      state.report(issue(of: error, interruption: state.results.interruption))
    }
    state.phasesEndedAt = Timestamp(now)
  }

  /// Returns the issue of a run that did not reach its end.
  private func issue(of error: any Error, interruption: String) -> Issue {
    let isStopped = error.cause == .cancelled
    return Issue(
      severity: isStopped ? .interruption : .failure, subject: .run,
      message: isStopped ? interruption : JobMessage.text(of: error), exitCode: environment.exitCode(error))
  }

  // MARK: Hooks

  /// True if the run is not complete. A restore test that was stopped has not failed.
  private var hasFailed: Bool { !state.outcome.isComplete && !(isTest && state.outcome == .interrupted) }

  /// Runs the hooks at the end. Each hook can read the outcome so far in the status file.
  private mutating func runLastHooks() {
    if state.outcome.isComplete { attempt(.after, isCancelled: { [counter] in counter.isCancelled }) }
    if hasFailed { attempt(.onFailure) }
    let hadFailed = hasFailed
    attempt(.finally)
    if !hadFailed, hasFailed { attempt(.onFailure) }
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
      try hooks.run(hook, state, isCancelled: isCancelled)
    } catch {
      state.report(
        error.cause == .cancelled
          ? Issue(
            severity: .interruption, subject: .hook, message: "\(error)",
            exitCode: environment.exitCode(error))
          : .incomplete(.hook, "\(error)"))
    }
  }

  // MARK: Ledger and status

  /// Writes the results of the run so far to the ledger, and publishes the job's status.
  private mutating func saveRunAndStatus(copies: [CopyRecord] = []) {
    updateLedger(copies: state.results.isOfJob ? copies : [])
    let saved = state.record
    publishStatus()
    // the outcome depends on whether the status was published
    guard state.record != saved else { return }
    updateLedger()
    _ = environment.writeStatusFiles(of: job)
  }

  private mutating func updateLedger(copies: [CopyRecord] = []) {
    updateEntry()
    environment.ledger.update(&entry, copies: copies.map(\.entry))
  }

  private mutating func updateEntry() {
    entry.job = state.results.isOfJob ? job.name : nil
    entry.libraryID = state.results.libraryID
    (entry.outcome, entry.endedAt) = (state.outcome, state.phasesEndedAt)
    // a restore test has its result before its last hooks
    entry.hook = isTest ? nil : state.hook?.rawValue
    (entry.counts, entry.record) = (state.counts, state.details)
  }

  /// Publishes the status. An error does not stop the run but makes it incomplete: a program that watches the file
  /// would still see the old status. A run of another library than the job's own publishes nothing.
  private mutating func publishStatus() {
    guard state.results.isOfJob else { return }
    let problems = environment.writeStatusFiles(of: job)
    // what a later publication has written is no longer a problem
    state.results.reportStatus(
      problems.map { state.phasesEndedAt == nil ? .warning(.status, $0) : .incomplete(.status, $0) })
  }
}
