import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// Why a backup cannot be read or written at all. Nothing was published or changed, except for `incompleteSet`. The
/// summaries report problems of single photos.
public enum BackupError: ExplainedError, Sendable, CustomStringConvertible {
  /// The file does not exist.
  case noSuchBackup(FilePath)
  /// The folder contains no backup.
  case noBackups(FilePath)
  /// The file is neither a ZIP archive nor a JSON document.
  case notABackup(FilePath, reason: String)
  /// The archive has no `metadata.json` where the apps put it.
  case noMetadata(FilePath)
  /// The file is a photo export of the Android app, without rows. `Work.extract` writes its photos as files.
  case photoExport(FilePath, PhotoExport)
  /// The archive has photos that its metadata does not list. Only a salvage regards this as a fault.
  case unlistedPhotos(FilePath, count: Int)
  /// A salvage found nothing in the file, which cannot be opened because of the error.
  case nothingRecovered(FilePath, any Error)
  /// The archive has more than one `metadata.json`.
  case severalMetadata(FilePath, [String])
  /// `metadata.json` is invalid.
  case metadata(FilePath, MetadataFault)
  /// The archive or a part of it is encrypted, and there is no password.
  case passwordNeeded(FilePath)
  /// The password does not fit the archive.
  case wrongPassword(FilePath)
  /// The archive's metadata cannot be decrypted: the password is wrong, or the metadata is corrupt.
  case wrongPasswordOrDamaged(FilePath)
  /// The password is unfit for encryption.
  case unfitPassword(PasswordError)
  /// The user asked to encrypt a JSON document.
  case cannotEncrypt(FilePath)
  /// The user asked for `replace`, but the backup does not contain a complete library.
  case cannotReplace(FilePath, reason: String)
  /// The user asked to replace a library by several backups.
  case severalToReplace(FilePath, after: FilePath)
  /// The user asked to split an export that cannot be split, such as a JSON document or an encrypted archive.
  case cannotSplit(FilePath, reason: String)
  /// Some of several archives are published, and the next one could not be published.
  case incompleteSet(published: [FilePath], of: Int, any Error)
  /// The export cannot depend on other archives.
  case cannotIncrement(FilePath, reason: String)
  /// The base of an archive is missing.
  case baseMissing(FilePath, uuid: String)
  /// Another process removed the base from the folder during an export.
  case baseRemoved(FilePath, uuid: String)
  /// The backup exceeds a limit.
  case tooLarge(FilePath, reason: String, remedy: Remedy?)
  /// The name of the new archive is too long for a file.
  case nameTooLong(FilePath)
  /// The archive's name is taken.
  case destinationExists(FilePath)
  /// The destination is inside the library.
  case destinationInLibrary(FilePath)
  /// The folder for the archive does not exist.
  case noSuchDestination(FilePath)
  /// The user asked to repair an encrypted archive.
  case cannotRepairEncrypted(FilePath)
  /// The new archive failed verification.
  case verificationFailed(FilePath, [String])
  /// The disk failed to read a photo that was readable before, twice in one export.
  case unreliableDisk(String, reason: any Error)
  /// A photo changed while it was being read, twice in one export.
  case unstablePhoto(String, reason: String)
  /// The destination has fewer free bytes than the archive needs.
  case notEnoughSpace(FilePath, needed: Int, free: Int)

  /// One line for the user: the file and the fault.
  public var description: String { message.escaped }

  /// Why the operation failed.
  public var cause: ErrorCause {
    switch self {
    case .noSuchBackup, .noBackups: .notFound
    case .baseMissing, .baseRemoved: .missingBase
    case .notABackup, .noMetadata, .severalMetadata: .damage
    case .metadata(_, let fault): fault.isDamage ? .damage : fault.exceedsLimit ? .limit : .other
    case .nothingRecovered(_, let error): error.cause
    case .passwordNeeded, .wrongPassword: .password
    case .wrongPasswordOrDamaged: .passwordOrDamage
    case .tooLarge: .limit
    case .destinationExists, .destinationInLibrary, .noSuchDestination, .verificationFailed, .notEnoughSpace:
      .destination
    case .severalToReplace: .usage
    case .photoExport, .unlistedPhotos, .unfitPassword, .cannotEncrypt, .cannotReplace, .cannotSplit,
      .incompleteSet,
      .cannotIncrement, .nameTooLong, .cannotRepairEncrypted, .unreliableDisk, .unstablePhoto:
      .other
    }
  }

  /// What to do about the error.
  public var remedy: Remedy? {
    switch self {
    case .photoExport(let path, _): .extractPhotos(path.string)
    case .passwordNeeded: .givePassword
    case .cannotEncrypt: .exportArchive
    case .cannotReplace, .severalToReplace: .merge
    case .nameTooLong: .shortenName
    case .cannotRepairEncrypted: .salvageEncrypted
    case .tooLarge(_, _, let remedy): remedy
    default: nil
    }
  }

  private var message: String {
    switch self {
    case .noSuchBackup(let path):
      "there is no file \(path)"
    case .notABackup(let path, let reason):
      "\(path) is not a SmilePile backup: \(reason)"
    case .tooLarge(let path, let reason, _):
      "\(path) is too large: \(reason)"
    case .noBackups(let folder):
      "\(folder) is a folder without backups"
    case .noMetadata(let path):
      "\(path) is not a SmilePile backup: it has no metadata.json at its root or in its only top "
        + "folder"
    case .photoExport(let path, let export):
      "\(path) is \(export.title) of the Android app, and not a backup: its photos have no categories"
    case .unlistedPhotos(let path, let count):
      "\(path) is inconsistent: its metadata does not list \(count) of its photos"
    case .nothingRecovered(_, let error):
      "\(error); nothing in it can be recovered"
    case .severalMetadata(let path, let names):
      "\(path) has more than one metadata.json: \(names.joined(separator: ", "))"
    case .metadata(let path, let fault):
      fault.newerVersion == nil
        ? "\(path): metadata: \(fault)"
        : "\(path) was \(fault.reason); update smilepile"
    case .passwordNeeded(let path):
      "\(path) is encrypted"
    case .wrongPassword(let path):
      "\(path): wrong password"
    case .wrongPasswordOrDamaged(let path):
      "\(path): wrong password, or the archive is damaged"
    case .unfitPassword(let fault):
      "\(fault)"
    case .cannotEncrypt(let path):
      "the JSON document for \(path) cannot be encrypted"
    case .cannotReplace(let path, let reason):
      "\(path) cannot replace a library: \(reason)"
    case .severalToReplace(let path, let before):
      "a library can be replaced with only one backup or chain: \(before), \(path)"
    case .cannotSplit(let path, let reason):
      "the export to \(path) cannot be split: \(reason)"
    case .incompleteSet(let published, let count, let error):
      "\(error); only these of \(count) archives were published, and they are not a complete "
        + "export: \(published.map(\.string).joined(separator: ", ")); remove them, and export again"
    case .cannotIncrement(let path, let reason):
      "the export to \(path) cannot be incremental: \(reason)"
    case .baseMissing(let path, let uuid):
      "\(path) depends on archive \(uuid), which is missing or was changed; copy that archive into the same folder"
    case .baseRemoved(let folder, let uuid):
      "the base, archive \(uuid), was removed from \(folder) during the export; run the command again"
    case .nameTooLong(let name):
      "the new archive cannot be named \(name): a name has at most \(FileName.maximumBytes) bytes"
    case .destinationExists(let path):
      "\(path) already exists and is not overwritten; choose another name"
    case .destinationInLibrary(let path):
      "\(path) is in the library; choose a folder outside the library"
    case .noSuchDestination(let path):
      "the folder \(path) does not exist; create it"
    case .cannotRepairEncrypted(let path):
      "\(path) is encrypted, and encrypted archives cannot be repaired"
    case .verificationFailed(let path, let damage):
      "the new archive in \(path) is damaged, and was not published: \(damage.joined(separator: "; ")); "
        + "check the disk"
    case .unreliableDisk(let photo, let error):
      "\(photo) could be read once, and then not again (\(error)); check the disk"
    case .unstablePhoto(let photo, let reason):
      "\(photo) changed while it was read (\(reason)); try again"
    case .notEnoughSpace(let path, let needed, let free):
      "not enough space in \(path): \(needed) bytes are needed, including a reserve, and \(free) are free; free some "
        + "space"
    }
  }
}

extension PhotoExport {
  fileprivate var title: String {
    switch self {
    case .statistics: "a statistics export"
    case .gallery: "an HTML gallery"
    }
  }
}
