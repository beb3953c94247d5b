import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import Secrets
import SystemPackage

/// Everything besides the job that a run needs.
package struct JobContext: Sendable {
  /// The folder of locks and status files.
  package var state: StateFolder
  /// Reads the password of a job. Blocks.
  package var password: @Sendable (PasswordSource) throws -> Secret
  /// Returns the exit code for an error.
  package var exitCode: @Sendable (any Error) -> Int32
  /// Returns the text of a finding with its remedy, for people who read the status page.
  package var message: @Sendable (Finding) -> String = { $0.message }
  /// True to write an archive even if nothing has changed.
  package var isForced = false
  /// The most milliseconds by which the clocks of two devices differ: they may be set to different time zones.
  package static let clockTolerance: Int64 = 24 * 3_600_000
  /// The observations of this machine.
  package var ledger: Ledger { state.ledger }
  /// Returns the current time.
  package var now: @Sendable () -> Date = { Date() }

  /// Makes a context from its parts.
  package init(
    state: StateFolder,
    password: @escaping @Sendable (PasswordSource) throws -> Secret,
    exitCode: @escaping @Sendable (any Error) -> Int32
  ) {
    self.state = state
    self.password = password
    self.exitCode = exitCode
  }
}

/// The report of a run of a job.
package struct JobReport: Sendable {
  /// The message of a job that was cancelled before it began.
  package static let notBegun = "not started: the command was stopped"
  /// The record of the run.
  package var run: JobStatus.RunRecord
  /// The messages of the issues that made the run incomplete, failed or interrupted.
  package var errors: [String] = []
  /// The messages of the other issues.
  package var warnings: [String] = []
  /// The results of a restore test, which `errors` leaves out; nil in a backup.
  package var test: RestoreTestReport?
}

/// Why a job cannot run.
package enum JobError: ExplainedError, Sendable, Equatable, CustomStringConvertible {
  /// Neither the job file nor the caller gives the job's library.
  case noLibrary(String)
  /// Another backup or restore test of the job is running and holds this lock.
  case running(String, isRestoreTest: Bool, FileLock.Busy)
  /// A newer version of this program wrote the ledger.
  case newerLedger(Ledger.Problem)

  /// Describes the error in one line.
  package var description: String {
    switch self {
    case .newerLedger(let problem): "\(problem)"
    case .noLibrary(let job):
      "job “\(job)” has no library"
    case .running(let job, let isRestoreTest, let lock):
      "\(lock.owner.isEmpty ? "another process" : lock.owner) is running "
        + "\(isRestoreTest ? "a restore test" : "a backup or a restore test") of job “\(job)”"
        + (lock.isOwnerAncestor
          ? ", and one of its hooks started this command; remove the command from the hook"
          : isRestoreTest ? "; wait until it ends" : "")
    }
  }

  package var cause: ErrorCause {
    switch self {
    case .noLibrary: .usage
    case .running: .busy
    case .newerLedger: .other
    }
  }

  package var remedy: Remedy? {
    switch self {
    case .noLibrary: .nameLibrary
    case .running(_, isRestoreTest: false, let lock): lock.remedy
    case .running, .newerLedger: nil
    }
  }

  /// True if a hook of the job started the job again.
  var isOfOwnHook: Bool {
    if case .running(_, _, let lock) = self { lock.isOwnerAncestor } else { false }
  }
}
