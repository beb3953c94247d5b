import Checksums
import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// The damage of an archive that was salvaged.
public struct SalvageReport: Sendable, Equatable {
  /// Why the archive cannot be opened normally.
  public var fault: Finding
  /// Missing entries that are not photos of the metadata, by name. Missing photos of the metadata are reported as
  /// unavailable in the backup.
  public var losses: [Finding]
  /// Why the own entries of photos are missing that got the entry of an equal photo, by the photos' indices.
  var replaced: [Int: String]
  /// The MD5 of the recovered `metadata.json`; nil if it is missing.
  var metadataDigest: MD5Digest?

  /// The fault and the losses.
  public var findings: [Finding] { [fault] + losses }
}

extension OpenedBackup {
  /// Opens a backup, and recovers as much as possible if it is a truncated or damaged archive, or has photos that its
  /// metadata does not list: see `Salvage`. Otherwise `salvage` is nil; a photo may be corrupt anyway.
  ///
  /// If `metadata.json` is missing, the photos are the entries with the apps' names for photos, in the category
  /// "Rescued". Blocks; reads the file at least once; writes nothing.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limits: the limits for the archive.
  ///   - password: opens encrypted entries.
  ///   - whileReading: called for every buffer; may throw to cancel.
  /// - Throws: `BackupError.nothingRecovered` if nothing can be recovered, and the errors of `init(path:limits:)` that a
  ///   search cannot resolve.
  package static func salvaging(
    _ path: FilePath, limits: Limits = Limits(), password: Secret? = nil,
    whileReading: @escaping (Int) throws -> Void = { _ in }
  ) throws -> OpenedBackup {
    let fault: any Error
    do {
      let backup = try OpenedBackup(path: path, limits: limits, password: password)
      let unlisted = unlistedPhotos(among: backup.archive?.entries ?? [], besides: backup.photos)
      guard !unlisted.isEmpty else { return backup }
      fault = BackupError.unlistedPhotos(path, count: unlisted.count)
    } catch {
      guard isSalvageable(error) else { throw error }
      fault = error
    }
    return try searching(path, after: fault, limits: limits, password: password, whileReading: whileReading)
  }

  /// Returns the entries in `photos/` that no photo of the metadata has, and whose content no photo has: one for each
  /// content.
  static func unlistedPhotos(among entries: [Entry], besides photos: [Photo]) -> [Entry] {
    var contents: Set<EntryContent> = []
    for photo in photos {
      if case .entry(let reference) = photo.location { contents.insert(EntryContent(reference.entry)) }
    }
    return entries.filter { entry in
      Entry.isInPhotos(entry.name) && !entry.isDirectory && !entry.isIgnored && !entry.isDerived
        && entry.size > 0 && contents.insert(EntryContent(entry)).inserted
    }
  }

  /// What identifies the content of an entry.
  private struct EntryContent: Hashable {
    var crc32: UInt32
    var size: Int

    init(_ entry: Entry) { (crc32, size) = (entry.crc32, entry.size) }
  }

  /// Searches an archive for photos. Blocks; reads the file at least once; writes nothing.
  ///
  /// - Parameters:
  ///   - error: why the archive cannot be opened as a backup.
  ///   - export: the kind of export, if the archive was recognized as a photo export.
  ///   - whileReading: called for every buffer; may throw to cancel.
  /// - Throws: `BackupError.nothingRecovered` if nothing can be recovered, or `error` if it is of the password.
  static func searching(
    _ path: FilePath, after error: any Error, for export: PhotoExport? = nil, limits: Limits,
    password: Secret?, whileReading: @escaping (Int) throws -> Void
  ) throws -> OpenedBackup {
    let salvage: Salvage
    do {
      salvage = try Salvage(path: path, limits: limits, whileReading: whileReading)
    } catch let obstacle as ArchiveError {
      // the file contains nothing; the first error says more
      throw obstacle.cause == .limit || !obstacle.cause.isOfContent ? obstacle : nothingRecovered(path, error)
    }
    guard let found = try SalvagedContents(salvage, of: export, limits: limits, password, whileReading)
    else {
      throw nothingRecovered(path, error)
    }
    // a read error of the disk says more than the fault of the rest
    let fault = error.cause == .disk ? "\(error)" : salvage.fault.map { "\($0)" } ?? "\(error)"
    return OpenedBackup(
      path: salvage.archive.path, origin: found.origin, metadata: found.metadata, photos: found.photos,
      warnings: found.warnings, leftOut: found.leftOut, corruptBeforeBackup: found.corruptBeforeBackup,
      unknownEntries: found.unknownEntries, archive: salvage.archive, root: found.root, password: password,
      salvage: SalvageReport(
        fault: Finding(.file(path.string.escaped), message: fault), losses: found.losses,
        replaced: found.replaced,
        metadataDigest: found.metadataDigest))
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
