import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import Secrets
import SystemPackage

/// What a run of a job needs besides the job.
package struct JobContext: Sendable {
  /// Where locks and status files lie.
  package var state: StateFolder
  /// Reads the password, where the job has one; blocks.
  package var password: @Sendable (PasswordSource) throws -> Secret
  /// The exit code that stands for an error.
  package var exitCode: @Sendable (any Error) -> Int32
  /// Writes an archive even where nothing has changed.
  package var isForced = false
  /// What this machine has observed.
  package var ledger: Ledger { state.ledger }
  /// The clock.
  package var now: @Sendable () -> Date = { Date() }

  /// Makes a context of these parts.
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

/// What came of a run of a job.
package struct JobReport: Sendable {
  /// What is said of a job that was to stop before it began.
  package static let notBegun = "not begun, since everything is to stop"
  /// The run.
  package var run: JobStatus.RunRecord
}

/// Why a job cannot be run, or did not do all.
package enum JobError: RemediedError, Sendable, Equatable, CustomStringConvertible {
  /// Neither the job file nor anybody else names its library.
  case noLibrary(String)
  /// A run of it, or a drill, has not ended, and has this lock.
  case running(String, isRestoreTest: Bool, FileLock.Busy)
  /// A newer version of this program wrote the ledger.
  case newerLedger(Ledger.Problem)

  /// One line.
  package var description: String {
    switch self {
    case .newerLedger(let problem): "\(problem)"
    case .noLibrary(let job):
      "job “\(job)” names no library"
    case .running(let job, let isRestoreTest, let lock):
      "\(isRestoreTest ? "a restore test" : "a backup or a restore test") of job “\(job)” is being run by "
        + "\(lock.owner.isEmpty ? "another process" : lock.owner)"
        + (lock.isOwnerAncestor
          ? ", and one of its hooks has started this; take it out of there"
          : isRestoreTest ? "; wait for it to end" : "")
    }
  }

  package var remedy: Remedy? {
    switch self {
    case .noLibrary: .nameLibrary
    case .running(_, isRestoreTest: false, let lock): lock.remedy
    case .running, .newerLedger: nil
    }
  }

  /// A hook has started the job that it is a hook of.
  var isOfOwnHook: Bool {
    if case .running(_, _, let lock) = self { lock.isOwnerAncestor } else { false }
  }
}
