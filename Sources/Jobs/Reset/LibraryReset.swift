import ArchiveCatalog
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// A reset of a library that jobs back up.
package struct LibraryReset: Sendable {
  /// The library's folder.
  package let library: FilePath
  /// What is reset.
  package let scope: ResetScope
  /// The jobs of the job file that back up the library.
  package let jobs: [Job]
  /// The password of archives that no job of the library made; nil if they are not encrypted.
  package var password: Secret?
  /// Removes photos even if no verified archive contains them.
  package var isForced = false
  /// Stops the processes of this user that use the library, instead of refusing.
  package var stopsProcesses = false

  /// Describes the reset of a library.
  package init(of library: FilePath, _ scope: ResetScope, jobs: [Job] = []) {
    (self.library, self.scope, self.jobs) = (library, scope, jobs)
  }

  /// The result of a reset.
  package struct Report: Sendable, FindingReport {
    /// What was reset.
    package var summary: ResetSummary
    /// The verified archive that contains all removed photos; nil if none was searched for.
    package var archive: String?
    /// The processes that were stopped, as `process 4711 on nas`.
    package var stopped: [String] = []
    /// Why folders of archives could not be searched.
    package var warnings: [String] = []

    package var findings: [Finding] { summary.findings }
  }
}

/// Why a library is not reset. Nothing was changed.
package enum ResetRefusal: ExplainedError, Equatable, CustomStringConvertible {
  /// No verified archive contains every photo. `nearest` is the one that lacks the fewest, `missing` the number of those.
  case notArchived(FilePath, photos: Int, missing: Int, nearest: String?)
  /// A process that was asked to stop did not end in time.
  case notStopped(FilePath, process: String, after: Duration)

  /// One line for the user.
  package var description: String { message.escaped }

  package var cause: ErrorCause { if case .notStopped = self { .busy } else { .other } }

  package var remedy: Remedy? { if case .notArchived = self { .archiveLibrary } else { nil } }

  private var message: String {
    switch self {
    case .notArchived(let path, let photos, _, nil):
      "no verified archive contains the \(Count(photos, "photo")) of \(path)"
    case .notArchived(let path, let photos, let missing, let nearest?):
      "no verified archive contains all photos of \(path): \(missing) of \(photos) are missing from \(nearest)"
    case .notStopped(let path, let process, let limit):
      "\(path) was not changed: \(process) was asked to stop, and still runs after "
        + "\(Count(Int(limit.components.seconds), "second"))"
    }
  }
}

extension LibraryReset.Report: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(removed: summary.photos), findings: findings, isIncomplete: !findings.isEmpty)
  }
}

extension Work where Summary == LibraryReset.Report {
  /// Starts a reset: looks for a verified archive with all photos, stops other processes if that is wanted, and resets the
  /// library in one transaction while none of its jobs runs. `undo` takes it back.
  ///
  /// The summary throws `ResetRefusal`, `JobError.running`, what `ResetRun.run` throws, or the errors of the password; nothing
  /// has changed then, but processes may have been stopped.
  package static func reset(
    _ reset: LibraryReset, options: ResetOptions, _ environment: JobEnvironment
  ) -> Self {
    let operation = RecordedOperation(
      .reset, ofLibrary: reset.library, isDryRun: options.isDryRun || !reset.scope.contains(.contents))
    return Work(operation, by: environment.ledger) { counter in
      try LibraryResetRun(reset, options, environment, counter).run()
    }
  }
}

/// One run of `reset`.
private struct LibraryResetRun {
  private let reset: LibraryReset
  private var options: ResetOptions
  private let counter: ProgressCounter
  private let locks: LibraryLocks
  /// Nil if no photos are removed, or the reset is forced.
  private let search: VerifiedArchiveSearch?

  init(
    _ reset: LibraryReset, _ options: ResetOptions, _ environment: JobEnvironment, _ counter: ProgressCounter
  ) throws {
    (self.reset, self.counter) = (reset, counter)
    let locks = try LibraryLocks(reset.library, reset.jobs, environment.state)
    let search =
      reset.isForced || !reset.scope.contains(.contents)
      ? nil : try VerifiedArchiveSearch(reset, environment, counter)
    (self.locks, self.search) = (locks, search)
    self.options = options
    self.options.refusing = { try search?.requireArchive(of: $0) }
    self.options.excludingJobs = { change in
      try locks.withJobLocks(waiting: options.lockWait, whileWaiting: counter.reportWaitingForLock, change)
    }
  }

  func run() throws -> LibraryReset.Report {
    var stopped: [String] = []
    if !options.isDryRun {
      do {
        try locks.check(waiting: options.lockWait, whileWaiting: counter.reportWaitingForLock)
      } catch  where reset.stopsProcesses && ProcessStop.isBusy(error) {
        // a reset that will be refused must stop no process
        var dryRun = options
        dryRun.isDryRun = true
        _ = try ResetRun(reset.library, dryRun, counter).run(reset.scope)
        stopped = try ProcessStop(locks: locks, counter: counter).run()
      }
    }
    let summary = try ResetRun(reset.library, options, counter).run(reset.scope)
    let found = search?.found
    return LibraryReset.Report(
      summary: summary, archive: found?.archive, stopped: stopped, warnings: found?.warnings ?? [])
  }
}
