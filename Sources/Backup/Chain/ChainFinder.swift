import ArchiveCatalog
import Checksums
import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// Opens the archives that incremental backups of one folder depend on. Lists the folder once, at the first
/// request.
final class ChainFinder {
  private let folder: FilePath
  private let limits: Limits
  private let password: Secret?
  private let ledger: Ledger?
  private let check: () throws -> Void
  private var inventory: ArchiveInventory?
  private var isListed = false
  /// The errors of the folder and of archives in it. An archive that could not be read may be the missing base.
  private(set) var unreadable: [any Error] = []

  /// - Parameters:
  ///   - archive: an archive in the folder.
  ///   - ledger: the health of archives.
  ///   - check: called between archives; may throw to cancel.
  init(
    beside archive: FilePath, limits: Limits, password: Secret?, ledger: Ledger?,
    check: @escaping () throws -> Void
  ) {
    folder = archive.folder
    (self.limits, self.password, self.ledger, self.check) = (limits, password, ledger, check)
  }

  /// Opens every archive that satisfies a reference, in the order of `ArchiveGraph.candidates(for:)`.
  ///
  /// - Throws: environment failures, and the errors of `check`.
  func candidates(for base: ArchiveDescriptor.BaseReference) throws -> [OpenedBackup] {
    guard let graph = try listed()?.graph else { return [] }
    var sources: [OpenedBackup] = []
    for archive in graph.candidates(for: base) {
      try check()
      do {
        let source = try OpenedBackup(path: FilePath(archive.path), limits: limits, password: password)
        // another process may have replaced the archive since it was listed
        if source.satisfies(base) { sources.append(source) }
      } catch  where error.cause.isInconclusive {
        guard case BackupError.noSuchBackup = error else { throw error }
      } catch {
        unreadable.append(error)
      }
    }
    return sources
  }

  private func listed() throws -> ArchiveInventory? {
    if isListed { return inventory }
    isListed = true
    do {
      inventory = try ArchiveInventory(
        folder: folder, password: password, ledger: ledger, whileReading: check)
      unreadable += inventory?.unreadable.map(\.error) ?? []
    } catch let error as FileError where error.cause != .environment {
      unreadable.append(error)
    }
    return inventory
  }
}
