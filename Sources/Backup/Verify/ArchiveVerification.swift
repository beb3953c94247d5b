import ArchiveCatalog
import Operations
import Secrets
import SystemPackage

/// Verifies archives, for callers with a thread and a counter of their own.
package enum ArchiveVerification {
  /// Verifies every CRC and MD5 of a backup. Blocks; writes nothing.
  ///
  /// - Throws: the errors of the summary of `Work.verify`; `CancellationError`.
  package static func check(
    _ path: FilePath, password: Secret? = nil, counter: ProgressCounter
  ) throws -> CheckSummary {
    let source = try BackupOpener(
      counter: counter, limits: .trusted, password: password, reads: .allEntries
    ).open(path)
    return try ArchiveCheck(source: source, counter: counter).run()
  }

  /// Returns the fault of an archive; nil if the archive is intact. Blocks; writes nothing.
  ///
  /// - Throws: errors that say nothing about the archive, see `ErrorCause.isInconclusive`: environment failures,
  ///   `CancellationError`, and `BackupError.noSuchBackup` if the archive was removed since it was listed.
  package static func fault(
    of archive: ArchiveDescriptor, _ password: Secret?, _ counter: ProgressCounter
  ) throws -> String? {
    counter.enter(.verifying)
    do {
      return try check(FilePath(archive.path), password: password, counter: counter).damaged.first?.message
    } catch  where error.cause.isInconclusive {
      throw error
    } catch {
      return "\(error)"
    }
  }
}
