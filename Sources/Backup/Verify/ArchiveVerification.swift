import ArchiveCatalog
import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// Verifies archives, for callers with a thread and a counter of their own.
package enum ArchiveVerification {
  /// Reads a backup to its last byte: every CRC, every MD5. Blocks; writes nothing.
  ///
  /// - Throws: as the summary of `Work.verify`; `CancellationError`.
  package static func check(
    _ path: FilePath, password: Secret? = nil, counter: ProgressCounter
  ) throws -> CheckSummary {
    let source = try OpenedBackup(path: path, limits: .own, password: password)
    try source.requirePassword(toRead: .allEntries)
    return try ArchiveCheck(source: source, counter: counter).run()
  }

  /// Returns what is wrong with an archive; nil if it is intact. Blocks; writes nothing.
  ///
  /// - Throws: what says nothing about the archive, see `isEnvironmentFailure`: `CancellationError`, and
  ///   `BackupError.noSuchBackup` if it was removed since it was listed.
  package static func fault(
    of archive: ArchiveDescriptor, _ password: Secret?, _ counter: ProgressCounter
  ) throws -> String? {
    counter.enter(.verifying)
    do {
      return try check(FilePath(archive.path), password: password, counter: counter).damaged.first?.message
    } catch  where isEnvironmentFailure(error) {
      throw error
    } catch {
      return "\(error)"
    }
  }

  /// Returns whether an error says nothing about the archive that was to be read: the user stopped the operation, another
  /// process removed the archive, or this process, or the machine, has no more memory, threads or open files.
  package static func isEnvironmentFailure(_ error: any Error) -> Bool {
    switch error {
    case is CancellationError, is MemoryShortage, is ThreadError, BackupError.noSuchBackup: true
    case let error as FileError: error.isResourceExhaustion
    case let error as ArchiveError: error.isResourceExhaustion
    default: false
    }
  }

  /// Returns whether an error makes an archive suspect: it cannot be opened as one, or its disk does not give it.
  package static func isEvidenceOfDamage(_ error: any Error) -> Bool {
    switch error {
    case _ where isEnvironmentFailure(error): false
    case BackupError.passwordNeeded, BackupError.wrongPassword, BackupError.wrongPasswordOrDamaged: false
    case ArchiveError.passwordNeeded, ArchiveError.wrongPassword: false
    case is BackupError, is ArchiveError, is FileError: true
    default: false
    }
  }
}
