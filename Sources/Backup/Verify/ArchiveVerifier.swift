import ArchiveCatalog
import FileSystem
import Operations
import Secrets
import SystemPackage

/// Verifies archives that are unverified, changed since their verification, or suspect according to the ledger.
package struct ArchiveVerifier: Sendable {
  /// Records the results.
  package let observer: ArchiveObserver
  private let password: Secret?
  private let verifiesUnverified: Bool

  /// - Parameters:
  ///   - observer: knows the health of archives, and records the results.
  ///   - password: for encrypted archives.
  ///   - verifiesUnverified: false to verify only suspect archives, and to use unverified ones without reading them.
  package init(observer: ArchiveObserver, password: Secret?, verifiesUnverified: Bool = true) {
    (self.observer, self.password, self.verifiesUnverified) = (observer, password, verifiesUnverified)
  }

  /// Returns true if an archive is not known to be corrupt, encrypted with another password, or missing. Verifies a
  /// suspect archive and, with `verifiesUnverified`, an unverified one. Blocks.
  ///
  /// - Throws: environment failures; `CancellationError`.
  package func isUsable(_ archive: ArchiveDescriptor, _ counter: ProgressCounter) throws -> Bool {
    guard let file = try Self.file(of: archive) else { return false }
    switch observer.ledger.health(of: file) {
    case .verified: return true
    case .unverified where !verifiesUnverified: return true
    // the archive may be large, and several archives may depend on it
    case .suspect where observer.hasFoundDamaged(file): return false
    case .suspect, .unverified: break
    }
    return try isIntact(archive, file, counter)
  }

  /// Verifies archives whatever their health, and returns those that are corrupt, encrypted with another password, or
  /// missing. Blocks.
  ///
  /// - Throws: environment failures; `CancellationError`.
  package func unusableAfterReverifying(
    _ archives: [ArchiveDescriptor], _ counter: ProgressCounter
  ) throws -> [ArchiveDescriptor] {
    try archives.filter { archive in
      try Self.file(of: archive).map { try !isIntact(archive, $0, counter) } ?? true
    }
  }

  /// Returns nil if the archive is missing or the disk cannot read it.
  private static func file(of archive: ArchiveDescriptor) throws -> ArchiveFile? {
    do throws(FileError) {
      return try ArchiveFile.read(at: FilePath(archive.path))
    } catch {
      if error.cause == .environment { throw error }
      return nil
    }
  }

  private func isIntact(
    _ archive: ArchiveDescriptor, _ file: ArchiveFile, _ counter: ProgressCounter
  ) throws -> Bool {
    // encrypted with another password: unusable, but not damaged
    if archive.isLocked { return false }
    do {
      return try verify(archive, file, counter) == nil
    } catch BackupError.noSuchBackup {
      return false
    }
  }

  /// Verifies an archive whatever its health, and records the result. Blocks.
  ///
  /// - Parameter file: the archive's file as it was before this call.
  /// - Returns: the fault of the archive; nil if the archive is intact.
  /// - Throws: the errors of `ArchiveDescriptor.fault(_:_:)`; nothing is recorded then.
  package func verify(
    _ archive: ArchiveDescriptor, _ file: ArchiveFile, _ counter: ProgressCounter
  ) throws -> String? {
    // only damage that was recorded before this reading is cleared
    let reading = observer.ledger.observer(named: observer.name, now: observer.now)
    let fault = try archive.fault(password, counter)
    reading.record(fault.map { .foundDamaged(reason: $0) } ?? .verified, of: [(file, archive.archiveID)])
    return fault
  }
}

extension ArchiveDescriptor {
  /// Verifies every CRC and MD5 of the archive, and returns its fault; nil if it is intact. Blocks; writes nothing.
  ///
  /// - Throws: errors that say nothing about the archive, see `ErrorCause.isInconclusive`: environment failures,
  ///   `CancellationError`, and `BackupError.noSuchBackup` if the archive was removed since it was listed.
  package func fault(_ password: Secret?, _ counter: ProgressCounter) throws -> String? {
    counter.enter(.verifying)
    let opener = BackupOpener(counter: counter, limits: .trusted, password: password, reads: .allEntries)
    do {
      let source = try opener.open(FilePath(path))
      return try ArchiveCheck(source: source, counter: counter).run().damaged.first?.message
    } catch  where !error.cause.isInconclusive {
      return "\(error)"
    }
  }
}
