import FileSystem
import Operations
import SystemPackage
import Zip

extension BackupOpener {
  /// Opens a backup, and recovers as much as possible if it is a truncated or damaged archive, or has photos that its
  /// metadata does not list: see `Salvage`. Otherwise the backup's `salvage` is nil; a photo may be corrupt anyway.
  ///
  /// If `metadata.json` is missing, the photos are the entries with the apps' names for photos, in the category
  /// "Rescued".
  ///
  /// - Throws: `BackupError.nothingRecovered` if nothing can be recovered; the errors of `OpenedBackup` that a search
  ///   cannot resolve.
  func salvaging(_ path: FilePath) throws -> OpenedBackup {
    let fault: any Error
    do {
      let backup = try OpenedBackup(path: path, limits: limits, password: password)
      let unlisted = OpenedBackup.unlistedPhotos(among: backup.archive?.entries ?? [], besides: backup.photos)
      guard !unlisted.isEmpty else { return backup }
      fault = BackupError.unlistedPhotos(path, count: unlisted.count)
    } catch {
      guard Self.isSalvageable(error) else { throw error }
      fault = error
    }
    return try searching(path, after: fault)
  }

  /// Searches an archive for photos. Reads the file at least once.
  ///
  /// - Parameters:
  ///   - error: why the archive cannot be opened as a backup.
  ///   - export: the kind of export, if the archive was recognized as a photo export.
  /// - Throws: `BackupError.nothingRecovered` if nothing can be recovered, or `error` if it is of the password.
  func searching(
    _ path: FilePath, after error: any Error, for export: PhotoExport? = nil
  ) throws -> OpenedBackup {
    let check = { [counter] (_: Int) in try counter.checkCancellation() }
    let salvage: Salvage
    do {
      salvage = try Salvage(path: path, limits: limits, whileReading: check)
    } catch let obstacle as ArchiveError {
      // the file contains nothing; the first error says more
      throw obstacle.cause == .limit || !obstacle.cause.isOfContent
        ? obstacle : Self.nothingRecovered(path, error)
    }
    guard let found = try SalvagedContents(salvage, of: export, limits: limits, password, check) else {
      throw Self.nothingRecovered(path, error)
    }
    // a read error of the disk says more than the fault of the rest
    let fault = error.cause == .disk ? "\(error)" : salvage.fault.map { "\($0)" } ?? "\(error)"
    return OpenedBackup(
      path: salvage.archive.path, origin: found.origin, metadata: found.metadata, photos: found.join.photos,
      warnings: found.warnings, skipped: found.skipped, corruptBeforeBackup: found.join.corruptBeforeBackup,
      unknownEntries: found.join.unknownEntries, archive: salvage.archive, root: found.root,
      password: password,
      salvage: SalvageReport(
        fault: Finding(.file(path.string.escaped), message: fault), missing: found.missing,
        replaced: found.replaced, metadataDigest: found.metadataDigest))
  }

  /// Returns the error of a search without a result. An error of the password says more.
  private static func nothingRecovered(_ path: FilePath, _ error: any Error) -> any Error {
    error.cause.isOfPassword ? error : BackupError.nothingRecovered(path, error)
  }

  /// Returns false if a search would fail in the same way.
  private static func isSalvageable(_ error: any Error) -> Bool {
    if case BackupError.tooLarge = error { return true }
    // the photos may show whether the password is wrong or the metadata is corrupt
    return [.damage, .disk, .unsupported, .passwordOrDamage].contains(error.cause)
  }
}
