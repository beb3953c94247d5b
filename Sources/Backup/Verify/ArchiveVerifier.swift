import ArchiveCatalog
import FileSystem
import Operations
import Secrets
import SystemPackage

/// Verifies archives that are unverified, changed since their verification, or suspect according to the ledger.
package struct ArchiveVerifier: Sendable {
  /// Records the results.
  package let operation: ArchiveObserver
  private let password: Secret?
  private let verifiesUnverified: Bool

  /// - Parameters:
  ///   - operation: the health of archives, and the record of results.
  ///   - password: for encrypted archives.
  ///   - verifiesUnverified: false to verify only suspect archives, and to use unverified ones without reading them.
  package init(operation: ArchiveObserver, password: Secret?, verifiesUnverified: Bool) {
    (self.operation, self.password, self.verifiesUnverified) = (operation, password, verifiesUnverified)
  }

  /// Returns true if no archive is known to be corrupt, encrypted with another password, or missing. Verifies suspect
  /// archives and, with `verifiesUnverified`, unverified ones. Continues after a corrupt archive, so that every corrupt
  /// one is reported. Blocks.
  ///
  /// - Throws: environment failures; `CancellationError`.
  package func areUsable(_ archives: [ArchiveDescriptor], _ counter: ProgressCounter) throws -> Bool {
    try archives.reduce(true) { areUsable, archive in try isUsable(archive, counter) && areUsable }
  }

  private func isUsable(_ archive: ArchiveDescriptor, _ counter: ProgressCounter) throws -> Bool {
    guard let file = try Self.file(of: archive) else { return false }
    switch operation.ledger.health(of: file) {
    case .verified: return true
    case .unverified where !verifiesUnverified: return true
    // the archive may be large, and several archives may depend on it
    case .suspect where operation.hasFoundDamaged(file): return false
    case .suspect, .unverified: break
    }
    return try verify(archive, file, counter)
  }

  /// Verifies archives whatever their health, and returns those that are corrupt, encrypted with another password, or
  /// missing. Blocks.
  ///
  /// - Throws: environment failures; `CancellationError`.
  package func unusable(
    among archives: [ArchiveDescriptor], _ counter: ProgressCounter
  ) throws -> [ArchiveDescriptor] {
    try archives.filter { archive in
      try Self.file(of: archive).map { try !verify(archive, $0, counter) } ?? true
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

  private func verify(
    _ archive: ArchiveDescriptor, _ file: ArchiveFile, _ counter: ProgressCounter
  ) throws -> Bool {
    // encrypted with another password: unusable, but not damaged
    if archive.isLocked { return false }
    do {
      return try operation.verify(archive, file, password, counter) == nil
    } catch BackupError.noSuchBackup {
      return false
    }
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

extension ArchiveObserver {
  /// Verifies an archive and records the result. Blocks.
  ///
  /// - Parameter file: the archive's file as it was before this call.
  /// - Returns: the fault of the archive; nil if the archive is intact.
  /// - Throws: the errors of `ArchiveDescriptor.fault(_:_:)`; nothing is recorded then.
  package func verify(
    _ archive: ArchiveDescriptor, _ file: ArchiveFile, _ password: Secret?, _ counter: ProgressCounter
  ) throws -> String? {
    let reading = ledger.begin(within: self)
    let fault = try archive.fault(password, counter)
    reading.record(fault.map { .foundDamaged(reason: $0) } ?? .verified, of: [(file, archive.archiveID)])
    return fault
  }

  /// A warning for each archive that operations of this name have found damaged since this one began. Reading the
  /// property blocks.
  package var damageWarnings: [String] {
    damage().sorted { $0.key < $1.key }.map { path, reason in
      "\(path.escaped) is damaged (\(reason)), and was ignored"
    }
  }
}
