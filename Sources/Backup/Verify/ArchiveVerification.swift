import ArchiveCatalog
import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// Verifies archives, for callers with a thread and a counter of their own.
package enum ArchiveVerification {
  /// Verifies every CRC and MD5 of a backup. Blocks; writes nothing.
  ///
  /// - Throws: the errors of the summary of `Work.verify`; `CancellationError`.
  package static func check(
    _ path: FilePath, password: Secret? = nil, counter: ProgressCounter
  ) throws -> CheckSummary {
    let source = try OpenedBackup(path: path, limits: .own, password: password)
    try source.requirePassword(toRead: .allEntries)
    return try ArchiveCheck(source: source, counter: counter).run()
  }

  /// Returns the fault of an archive; nil if the archive is intact. Blocks; writes nothing.
  ///
  /// - Throws: errors that say nothing about the archive, see `isInconclusive(_:)`: environment failures,
  ///   `CancellationError`, and `BackupError.noSuchBackup` if the archive was removed since it was listed.
  package static func fault(
    of archive: ArchiveDescriptor, _ password: Secret?, _ counter: ProgressCounter
  ) throws -> String? {
    counter.enter(.verifying)
    do {
      return try check(FilePath(archive.path), password: password, counter: counter).damaged.first?.message
    } catch  where isInconclusive(error) {
      throw error
    } catch {
      return "\(error)"
    }
  }

  /// Returns true if an error says nothing about the archive: an environment failure (memory, threads or file
  /// descriptors are used up), a cancellation, or the removal of the archive by another process.
  package static func isInconclusive(_ error: any Error) -> Bool {
    switch error {
    case is CancellationError, is MemoryShortage, is ThreadError, BackupError.noSuchBackup: true
    case let error as FileError: error.isResourceExhaustion
    case let error as ArchiveError: error.isResourceExhaustion
    default: false
    }
  }

  /// Returns true if an error says that the archive cannot be decrypted: the password is missing or wrong.
  package static func isOfPassword(_ error: any Error) -> Bool {
    switch error {
    case BackupError.passwordNeeded, BackupError.wrongPassword, BackupError.wrongPasswordOrDamaged: true
    case ArchiveError.passwordNeeded, ArchiveError.wrongPassword: true
    default: false
    }
  }

  /// Returns true if an error makes an archive suspect: its bytes are not those of a backup, or its disk cannot read it.
  package static func isEvidenceOfDamage(_ error: any Error) -> Bool {
    switch error {
    case BackupError.notABackup, BackupError.noMetadata, BackupError.severalMetadata: true
    case BackupError.metadata(_, let fault): fault.newerVersion == nil
    case BackupError.nothingRecovered(_, let error): isEvidenceOfDamage(error)
    case let error as FileError: error.errno == .ioError
    case ArchiveError.file(let error): error.errno == .ioError
    case ArchiveError.passwordNeeded, ArchiveError.wrongPassword, ArchiveError.notAFile, ArchiveError.changed,
      ArchiveError.multiDisk, ArchiveError.unsupportedMethod, ArchiveError.unsupportedEncryption:
      false
    case let error as ArchiveError: !error.isResourceExhaustion && !error.isLimit
    default: false
    }
  }
}

extension LedgerOperation {
  /// Opens or reads an archive. If the error is evidence of damage, records the archive as damaged. Blocks.
  func recordingDamage<Result>(of path: FilePath, _ read: () throws -> Result) throws -> Result {
    do {
      return try read()
    } catch {
      if ArchiveVerification.isEvidenceOfDamage(error) { recordDamage([path: "\(error)"]) }
      throw error
    }
  }
}
