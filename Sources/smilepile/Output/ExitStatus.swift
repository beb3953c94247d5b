import Backup
import FileSystem
import PhotoLibrary
import SystemPackage
import Zip

/// The exit codes, for scripts; the README has them as a table.
enum ExitStatus: Int32, Error {
  /// All that was asked for is done.
  case done = 0
  /// Nothing was published or changed.
  case failed = 1
  /// Something that was asked for is absent from the result; each is named.
  case incomplete = 3
  /// `verify` found damage.
  case damaged = 4
  /// There is no such library or archive.
  case notFound = 10
  /// Another process is changing the library.
  case locked = 11
  /// The password is wrong or missing.
  case password = 12
  /// The command line makes no sense.
  case usage = 64
  /// SIGINT.
  case interrupted = 130
  /// SIGTERM.
  case terminated = 143

  /// The code for an error that the libraries throw.
  init(for error: any Error) {
    self =
      switch error {
      case let status as ExitStatus: status
      case is CancellationError: Signals.received ?? .interrupted
      case is FileLock.Busy: .locked
      case LibraryError.notALibrary: .notFound
      case BackupError.noSuchBackup: .notFound
      case BackupError.encrypted, ArchiveError.passwordNeeded, ArchiveError.wrongPassword: .password
      case BackupError.stopped(_, _, _, let inner): ExitStatus(for: inner)
      default: .failed
      }
  }
}
