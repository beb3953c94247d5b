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
  /// It was counted among the failures.
  private var isCounted = false
  /// Failures before it, which went when it seemed to be complete.
  private var forgotten = 0
  /// What the status says of it.
  private var recorded: JobStatus.RunRecord?

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
    let isLastUncounted = before.run?.isUncounted == true
    let place = library
    update(&run) { status in
      status.expect(library: place)
      if isLastUncounted { status.failures += 1 }
    }

    let backup = perform(&run)
    let (start, end) = (run.startedAt, context.now().milliseconds)
    run.finishedAt = end
    let isBackedUp = run.outcome.isSuccess || run.outcome == .incomplete
    if isBackedUp { before.note(library: library, number: backup.libraryID) }
    run.hook = dueHooks(after: run).first?.rawValue
    record(&run) { status in
      if isBackedUp { status.note(library: place, number: backup.libraryID) }
      guard status.isOf(library: place, number: backup.libraryID) else { return }
      status.note(copiesFound: backup, from: start, to: end)
      // a drill that has ended meanwhile knows better
      if backup.isLibraryMended, status.lastDrill?.at ?? .max < start { status.lastDrill?.damaged = nil }
    }
    runHooks(after: &run)
    lock.release()
    return JobReport(run: run)
  }

  /// Takes up what is known of the job.
  private mutating func recall(_ run: inout JobStatus.RunRecord) {
    before = context.state.status(of: job)
    if let last = before.run { run.warnings += Self.news(of: last) }
    guard let fault = context.state.fault(of: job.name) else { return }
    let told = job.statusFile.flatMap { before == JobStatus(job: job.name) ? nil : $0 }
    let rest =
      told.map { "what \($0) says of earlier runs is taken" } ?? "what was known of earlier runs is lost"
    run.warnings.append("\(fault); \(rest)")
  }

  /// Takes the job's lock. A run that could not begin counts as one that failed, and whoever is told of those hears of it.
  private func begin() throws -> FileLock {
    do {
      return try context.state.lock(
        job.name, waiting: .seconds(job.lockWait), whileWaiting: counter.waitForWriter)
    } catch let error as JobError where error.isOfOwnHook {
      // the hook would start it again, and again
      throw error
    } catch {
      var run = JobStatus.RunRecord(startedAt: context.now().milliseconds)
      let isStopped = error is CancellationError
      run.outcome = isStopped ? .interrupted : .failed
      run.message = isStopped ? JobReport.notBegun : "\(error)"
      run.exitCode = context.exitCode(error)
      // the record of the last run stays: it may be under way
      if !job.isOtherLibrary { _ = context.state.update(job) { $0.failures += 1 } }
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
    // a status that others cannot be told of makes it incomplete, and is to say that
    for _ in 0..<2 where run != recorded { record(&run) }
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

  /// Notes how a run ended. As long as a hook may fail, it is not counted as complete.
  ///
  /// - Parameter more: notes more than that, first.
  private mutating func record(
    _ run: inout JobStatus.RunRecord, more: (inout JobStatus) -> Void = { _ in }
  ) {
    let isSuccess = run.outcome.isSuccess
    let isComplete = isSuccess && run.hook == nil
    let (current, before, isNewFailure) = (run, before, !isSuccess && !isCounted)
    var forgotten = forgotten
    update(&run) { status in
      more(&status)
      // it may be that nobody could write that
      let wasReset = status.lastSuccess?.startedAt == current.startedAt
      status.lastSuccess = isComplete ? current : before.lastSuccess
      // those that could not begin meanwhile have counted themselves
      if isComplete {
        forgotten += status.failures
        status.failures = 0
      } else if isNewFailure {
        status.failures += (wasReset ? forgotten : 0) + 1
      }
    }
    self.forgotten = forgotten
    isCounted = isCounted || isNewFailure
    recorded = current
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
