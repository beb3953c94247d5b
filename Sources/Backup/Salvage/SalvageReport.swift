import Checksums
import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// What was found wrong with an archive that had to be searched.
public struct SalvageReport: Sendable, Equatable {
  /// Why it could not be opened as it is.
  public var fault: Finding
  /// What was lost and is no photo of the metadata's, by the names of the entries. Photos that the metadata
  /// promises and that are lost are absent from the backup, and named there.
  public var losses: [Finding]
  /// The MD5 of the `metadata.json` that was found; nil if none was.
  var metadataDigest: MD5Digest?

  /// All of it.
  public var findings: [Finding] { [fault] + losses }
}

extension OpenedBackup {
  /// Opens a backup, and rescues what can be rescued where it is a truncated or damaged archive: see `Salvage`.
  /// `salvage` is nil if it turned out to be whole as an archive; a photo of it may be damaged all the same.
  ///
  /// Where no `metadata.json` is left, the photos are those entries that are named as the apps name them, and
  /// they are in a category of their own, "Rescued". Blocks; reads the file at least once; writes nothing.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limits: what the archive may ask for.
  ///   - password: opens encrypted entries.
  ///   - whileReading: called for every buffer; may throw to give up.
  /// - Throws: as `init(path:limits:)`, where nothing at all can be rescued.
  package static func salvaging(
    _ path: FilePath, limits: Limits = Limits(), password: Secret? = nil,
    whileReading: @escaping (Int) throws -> Void = { _ in }
  ) throws -> OpenedBackup {
    do {
      return try OpenedBackup(path: path, limits: limits, password: password)
    } catch {
      guard isSalvageable(error) else { throw error }
      return try searching(
        path, after: error, limits: limits, password: password, whileReading: whileReading)
    }
  }

  /// Searches an archive for photos. Blocks; reads the file at least once; writes nothing.
  ///
  /// - Parameters:
  ///   - error: why the archive cannot be opened as a backup.
  ///   - export: what the archive was recognized as, if it is a photo export.
  ///   - whileReading: called for every buffer; may throw to give up.
  /// - Throws: `error`, where nothing at all can be rescued.
  static func searching(
    _ path: FilePath, after error: any Error, for export: PhotoExport? = nil, limits: Limits,
    password: Secret?, whileReading: @escaping (Int) throws -> Void
  ) throws -> OpenedBackup {
    let salvage: Salvage
    do {
      salvage = try Salvage(path: path, limits: limits, whileReading: whileReading)
    } catch let obstacle as ArchiveError {
      // nothing in the file: what was wrong at first says more
      throw obstacle.isLimit || obstacle.isEnvironmentFailure ? obstacle : error
    }
    guard let found = try SalvagedContents(salvage, of: export, limits: limits, password, whileReading)
    else {
      throw error
    }
    // that the disk cannot read it says more than what is wrong with what is left
    let fault = Self.isBadSector(error) ? "\(error)" : salvage.fault.map { "\($0)" } ?? "\(error)"
    return OpenedBackup(
      path: salvage.archive.path, origin: found.origin, metadata: found.metadata, photos: found.photos,
      warnings: found.warnings, leftOut: found.leftOut, damagedBefore: found.damagedBefore,
      unknownEntries: found.unknownEntries, archive: salvage.archive, root: found.root, password: password,
      salvage: SalvageReport(
        fault: Finding(path.string.escaped, message: fault), losses: found.losses,
        metadataDigest: found.metadataDigest))
  }

  /// Whether the disk gave only a part of the file.
  private static func isBadSector(_ error: any Error) -> Bool {
    switch error {
    case ArchiveError.file(let error): error.errno == .ioError
    case let error as FileError: error.errno == .ioError
    default: false
    }
  }

  /// False where a search would meet the same obstacle.
  private static func isSalvageable(_ error: any Error) -> Bool {
    switch error {
    case BackupError.notABackup, BackupError.noMetadata, BackupError.severalMetadata: true
    // the photos may tell whether it is the password or the metadata that is wrong
    case BackupError.wrongPasswordOrDamaged: true
    case BackupError.metadata(_, let fault): fault.isDamage
    case ArchiveError.file where isBadSector(error): true
    case ArchiveError.passwordNeeded, ArchiveError.wrongPassword: false
    case let error as ArchiveError: !error.isEnvironmentFailure && !error.isLimit
    default: isBadSector(error)
    }
  }
}
