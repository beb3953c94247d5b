import ArchiveCatalog
import Checksums
import FileSystem
import Operations
import Secrets
import SystemPackage

/// Opens backups: files, all backups in a folder, and the archives that incremental backups depend on. Blocks.
///
/// Opening extracts nothing, and writes only into the ledger: descriptors of archives, and each archive that it finds
/// damaged. Lists each folder once; copies of a value share the lists.
package struct BackupOpener {
  /// What happens to an archive that the Android app exports besides backups, without rows.
  enum PhotoExports: Sendable {
    /// `open` throws `BackupError.photoExport`.
    case refused
    /// It is opened as a backup with one category.
    case opened
    /// It is searched for photos as a damaged archive is.
    case searched
  }

  /// Counts what is read, and cancels.
  let counter: ProgressCounter
  /// The limits for each backup.
  var limits = Limits()
  /// The password for encrypted archives.
  var password: Secret?
  /// The health of the archives in a folder, and their descriptors.
  var ledger: Ledger?
  /// Records an archive that cannot be opened because it is damaged; nil to record nothing.
  var observer: ArchiveObserver?
  /// The entries that the caller reads: a backup in which they are encrypted is refused if there is no password. Nil to
  /// refuse none.
  var reads: OpenedBackup.Reading?
  /// The ids in the backup of the photos that the caller reads; nil for all. Other photos are left out.
  var photoIDs: Set<Int64>?
  /// Recovers as much as possible from a damaged archive, and from one with photos that its metadata does not list.
  var salvages = false
  /// What happens to photo exports.
  var photoExports = PhotoExports.refused
  /// Opens the archives that an incremental backup depends on, too.
  var followsChains = false

  private let lists = Lists()

  private final class Lists {
    var inventories: [FilePath: ArchiveInventory] = [:]
  }

  // MARK: Files

  /// Opens a backup. Recognizes it by its content, never by its name.
  ///
  /// - Throws: the errors of `OpenedBackup.init(path:limits:password:)`; `BackupError.passwordNeeded` because of `reads`;
  ///   `BackupError.nothingRecovered` if nothing in a damaged archive can be recovered; the errors of
  ///   `withChain(_:among:)`.
  func open(_ path: FilePath) throws -> OpenedBackup {
    func attempt() throws -> OpenedBackup {
      var backup = try recognize(path)
      if let photoIDs {
        backup = backup.with(photos: backup.photos.filter { photoIDs.contains($0.record.id) })
      }
      if let reads { try backup.requirePassword(toRead: reads) }
      return try followsChains ? withChain(backup) : backup
    }
    return try observer?.recordingDamage(of: path, attempt) ?? attempt()
  }

  private func recognize(_ path: FilePath) throws -> OpenedBackup {
    do {
      return try salvages ? salvaging(path) : OpenedBackup(path: path, limits: limits, password: password)
    } catch let error as BackupError {
      guard case .photoExport(_, let export) = error else { throw error }
      switch photoExports {
      case .refused: throw error
      case .opened: return try OpenedBackup(export, at: path, limits: limits, password: password)
      case .searched: return try searching(path, after: error, for: export)
      }
    }
  }

  // MARK: Folders

  /// Returns the files that paths stand for: a file for itself, a folder for all backups in it, oldest first, and then
  /// for the files that cannot be read as backups.
  ///
  /// - Throws: the errors of `inventory(of:)`.
  private func expanded(_ paths: [FilePath]) throws -> [(path: FilePath, isInFolder: Bool)] {
    try paths.flatMap { path -> [(path: FilePath, isInFolder: Bool)] in
      guard (try? Directory.open(path)) != nil else { return [(path, false)] }
      let inventory = try inventory(of: path)
      let files = inventory.archives.map(\.path) + inventory.unreadable.map(\.path)
      return files.map { (FilePath($0), true) }
    }
  }

  /// Returns the paths of the files that paths stand for, as an import without a password opens them.
  ///
  /// - Throws: `FileError` if a folder cannot be listed.
  package static func files(in paths: [FilePath]) throws -> [FilePath] {
    try BackupOpener(counter: ProgressCounter()).expanded(paths).map(\.path)
  }

  /// Opens the files that paths stand for, in their order.
  ///
  /// - Returns: the backups, and the files of folders that cannot be opened, with the reasons.
  /// - Throws: the errors of `open(_:)` for a given file; for a file in a folder only errors that say nothing about the
  ///   file, see `ErrorCause.isInconclusive`.
  func open(_ paths: [FilePath]) throws -> (
    backups: [OpenedBackup], unusable: [(path: FilePath, error: any Error)]
  ) {
    var backups: [OpenedBackup] = []
    var unusable: [(path: FilePath, error: any Error)] = []
    for (path, isInFolder) in try expanded(paths) {
      do {
        backups.append(try open(path))
      } catch  where isInFolder && !error.cause.isInconclusive {
        unusable.append((path, error))
      }
    }
    return (backups, unusable)
  }

  /// Returns the archives of a folder, as they were when this value first listed it.
  ///
  /// - Throws: the errors of `ArchiveInventory`.
  func inventory(of folder: FilePath) throws -> ArchiveInventory {
    if let known = lists.inventories[folder.absolute] { return known }
    let inventory = try ArchiveInventory(
      folder: folder, password: password, ledger: ledger, whileReading: counter.checkCancellation)
    lists.inventories[folder.absolute] = inventory
    return inventory
  }

  // MARK: Chains

  /// Returns an incremental backup with its chain, and other backups as they are. The archives of the chain are in the
  /// backup's folder. A missing archive of the chain is not an error; see `OpenedBackup.missingBase`.
  ///
  /// - Parameter known: opened backups that take precedence over those of the folder.
  /// - Throws: environment failures; `CancellationError`; `BackupError.tooLarge`.
  func withChain(_ backup: OpenedBackup, among known: [OpenedBackup] = []) throws -> OpenedBackup {
    guard backup.increment != nil else { return backup }
    let folder = backup.path.folder
    // an archive that was repaired from another precedes the other, so that the files of the first one are used
    var bases: [OpenedBackup] = []
    var files = ChainFiles()
    var seen = Set([backup.metadataDigest].compactMap(\.self))
    var errors: [any Error] = []
    while let base = (bases.last ?? backup).increment?.reference, let digest = MD5Digest(hex: base.digest),
      seen.insert(digest).inserted
    {
      let found = try archives(satisfying: base, among: known, in: folder, &errors)
      guard !found.isEmpty else { break }
      for archive in found {
        files.add(archive, at: bases.count)
        // each has a row for every photo of the library
        bases.append(archive.with(photos: []))
      }
    }
    let missing = (bases.last ?? backup).increment?.baseID
    // one of the files that cannot be read may be the missing archive
    let unreadable = (lists.inventories[folder.absolute]?.unreadable.map(\.error) ?? []) + errors
    let chain = OpenedBackup.Chain(
      bases: bases, missing: missing, unreadable: missing == nil ? [] : unreadable)
    var candidates = ChainCandidates(chain: chain, files: files)
    let resolved = try backup.completed(from: &candidates).with(chain: chain)
    // many rows may share one file, and each gets a copy: a small archive must not fill the disk this way
    guard resolved.photoBytes <= limits.maximumBytes else {
      let reason = "its photos have \(resolved.photoBytes) bytes; at most \(limits.maximumBytes) are read"
      throw BackupError.tooLarge(backup.path, reason: reason, remedy: .increaseByteLimit)
    }
    return resolved
  }

  /// Returns backups with their chains, whose archives are among them or in the backup's folder. Leaves out the backups
  /// that are archives of another one's chain.
  ///
  /// - Throws: the errors of `withChain(_:among:)`.
  func withChains(_ backups: [OpenedBackup]) throws -> [OpenedBackup] {
    let resolved = try backups.map { try withChain($0, among: backups) }
    let bases = Set(resolved.flatMap { $0.chain?.bases ?? [] }.compactMap(\.metadataDigest))
    return resolved.filter { backup in backup.metadataDigest.map { !bases.contains($0) } ?? true }
  }

  /// Returns the opened backups that satisfy a reference, repaired ones first. If there are none, opens every archive of
  /// a folder that does, in the order of `ArchiveGraph.candidates(for:)`.
  ///
  /// - Parameter errors: gets the errors of archives that cannot be opened, or that of the folder.
  private func archives(
    satisfying base: ArchiveDescriptor.BaseReference, among known: [OpenedBackup], in folder: FilePath,
    _ errors: inout [any Error]
  ) throws -> [OpenedBackup] {
    let known = known.filter { $0.satisfies(base) }
    if !known.isEmpty {
      let isOriginal = { (source: OpenedBackup) in source.metadataDigest?.description == base.digest }
      return known.filter { !isOriginal($0) } + known.filter(isOriginal)
    }
    let inventory: ArchiveInventory
    do {
      inventory = try self.inventory(of: folder)
    } catch let error as FileError where error.cause != .environment {
      errors.append(error)
      return []
    }
    var found: [OpenedBackup] = []
    for archive in inventory.graph.candidates(for: base) {
      try counter.checkCancellation()
      do {
        let source = try OpenedBackup(path: FilePath(archive.path), limits: limits, password: password)
        // another process may have replaced the archive since it was listed
        if source.satisfies(base) { found.append(source) }
      } catch BackupError.noSuchBackup {
        continue
      } catch  where !error.cause.isInconclusive {
        errors.append(error)
      }
    }
    return found
  }
}

extension Finding {
  /// Describes a file that cannot be opened as a backup.
  ///
  /// - Parameter outcome: the beginning of the message, such as `not imported: `.
  init(of path: FilePath, _ error: any Error, as outcome: String = "") {
    self.init(.file(path.string.escaped), message: outcome + "\(error)", remedy: error.remedy)
  }
}
