import ArchiveCatalog
import FileSystem
import Operations

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
