import Backup
import FileSystem
import Jobs
import PhotoLibrary
import SystemPackage
import Zip

/// The exit codes; `docs/reference/exit-codes.md` lists them.
enum ExitStatus: Int32, Error, Comparable {
  /// Success.
  case done = 0
  /// Nothing was published or changed except what is reported.
  case failed = 1
  /// The result lacks something; it is reported.
  case incomplete = 3
  /// `verify`, `drill` or `prune` found damage.
  case damaged = 4
  /// There is no such library, archive, folder of archives, job or job file.
  case notFound = 10
  /// Another process is changing the library.
  case locked = 11
  /// The password is wrong or missing.
  case password = 12
  /// A mistake on the command line or in the job file.
  case usage = 64
  /// SIGINT.
  case interrupted = 130
  /// SIGQUIT.
  case quit = 131
  /// SIGTERM.
  case terminated = 143

  /// From the best to the worst, for several jobs in one run.
  private static let ranks: [ExitStatus] = [
    .done, .incomplete, .usage, .locked, .password, .notFound, .damaged, .failed, .interrupted, .quit,
    .terminated,
  ]

  /// Whether one is less bad than another.
  static func < (one: ExitStatus, other: ExitStatus) -> Bool {
    (ranks.firstIndex(of: one) ?? 0) < (ranks.firstIndex(of: other) ?? 0)
  }

  /// The code for an error that the libraries throw.
  init(for error: any Error) {
    self =
      switch error {
      case let status as ExitStatus: status
      case is CancellationError: Signals.received ?? .interrupted
      case is FileLock.Busy, JobError.running: .locked
      case LibraryError.notALibrary: .notFound
      case BackupError.noSuchBackup, BackupError.baseMissing, is JobFile.Missing, is NoSuchFolder: .notFound
      case JobError.newerLedger: .failed
      case BackupError.severalToReplace, is JobFile.Invalid, is JobError: .usage
      case ExtractError.busy: .locked
      case AuthorizationError.pinNeeded, AuthorizationError.wrongPIN, AuthorizationError.coolingDown,
        PINError.notAPIN:
        .password
      case BackupError.passwordNeeded, BackupError.wrongPassword, BackupError.wrongPasswordOrDamaged:
        .password
      case ArchiveError.passwordNeeded, ArchiveError.wrongPassword: .password
      case is SecretError: .password
      case BackupError.stopped(_, _, _, let inner): ExitStatus(for: inner)
      default: .failed
      }
  }
}
