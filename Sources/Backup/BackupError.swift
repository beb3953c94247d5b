import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// Why a backup cannot be read or written at all. Nothing was published or changed when one is thrown, but for
/// `stopped` and `setCutShort`; what concerns single photos stands in the summaries instead.
package enum BackupError: Error, Sendable, CustomStringConvertible {
  /// The file does not exist.
  case noSuchBackup(FilePath)
  /// Neither a ZIP nor a JSON document.
  case notABackup(FilePath, reason: String)
  /// An archive without `metadata.json` where the apps put it.
  case noMetadata(FilePath)
  /// What the Android app exports besides backups: photos that `Work.extract` writes as files, and no rows.
  case photoExport(FilePath, PhotoExport)
  /// An archive with more than one `metadata.json`.
  case severalMetadata(FilePath, [String])
  /// `metadata.json` cannot be understood.
  case metadata(FilePath, Metadata.Fault)
  /// The archive, or a part of it, is encrypted, and there is no password.
  case passwordNeeded(FilePath)
  /// The password does not fit the archive.
  case wrongPassword(FilePath)
  /// The archive's metadata does not come out of its encryption whole: the password is wrong, or it is damaged.
  case wrongPasswordOrDamaged(FilePath)
  /// The password is not one to encrypt with.
  case unfitPassword(PasswordError)
  /// A JSON document was to be encrypted.
  case cannotEncrypt(FilePath)
  /// `replace` was asked for, and the backup does not hold a whole library.
  case cannotReplace(FilePath, reason: String)
  /// Several backups were each to replace a library.
  case severalToReplace(FilePath, after: FilePath)
  /// A JSON document or an encrypted archive was to be split for phones, or the like.
  case cannotSplit(FilePath, reason: String)
  /// Of several archives some have their names, and the next one could not get its own.
  case setCutShort(published: [FilePath], of: Int, any Error)
  /// What was to be exported cannot rest on other archives.
  case cannotIncrement(FilePath, reason: String)
  /// An archive rests on one that is not there.
  case baseMissing(FilePath, uuid: String)
  /// Several backups were to be imported, and one failed after others were imported; what that import did.
  case stopped(at: FilePath, after: [FilePath], ImportSummary, any Error)
  /// No folder holds a name as long as the one that the new archive would get.
  case nameTooLong(FilePath)
  /// The archive's name is taken.
  case destinationExists(FilePath)
  /// An archive was to be written into the library itself.
  case destinationInLibrary(FilePath)
  /// The folder for the archive does not exist.
  case noSuchDestination(FilePath)
  /// An encrypted archive was to be written anew.
  case cannotRepairEncrypted(FilePath)
  /// What was just written did not read back as it should.
  case verificationFailed(FilePath, [String])
  /// A photo could be read, and then the disk did not give it out, twice in one export.
  case unreliableDisk(String, reason: any Error)
  /// A photo went bad while it was being read, twice in one export.
  case unstablePhoto(String, reason: String)
  /// There are fewer bytes free at the destination than the archive needs.
  case notEnoughSpace(FilePath, needed: Int, free: Int)

  /// One line for a person: the file, and what is wrong with it.
  public var description: String { message.escaped }

  /// What to do about the error.
  public var remedy: Remedy? {
    switch self {
    case .photoExport(let path, _): .extractPhotos(path.string)
    case .passwordNeeded: .givePassword
    case .cannotEncrypt: .exportArchive
    case .cannotReplace, .severalToReplace: .merge
    case .stopped(_, _, _, let error): (error as? any RemediedError)?.remedy
    case .nameTooLong: .shortenName
    case .cannotRepairEncrypted: .salvageEncrypted
    default: nil
    }
  }

  private var message: String {
    switch self {
    case .noSuchBackup(let path):
      "there is no file \(path)"
    case .notABackup(let path, let reason):
      "\(path) is not a SmilePile backup: \(reason)"
    case .noMetadata(let path):
      "\(path) is not a SmilePile backup: it has no metadata.json, neither at its root nor in one folder "
        + "that holds everything"
    case .photoExport(let path, let export):
      "\(path) is \(export.title) of the Android app, and not a backup: its photos have no categories"
    case .severalMetadata(let path, let names):
      "\(path) has more than one metadata.json: \(names.joined(separator: ", "))"
    case .metadata(let path, let fault):
      fault.newerVersion == nil
        ? "\(path): metadata: \(fault)"
        : "\(path) was \(fault.reason); update this program"
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
      "only one backup, or one chain, can replace a library: \(path) would replace what \(before) has just brought"
    case .cannotSplit(let path, let reason):
      "the export to \(path) cannot be split: \(reason)"
    case .setCutShort(let published, let count, let error):
      "\(error); of \(count) archives only these have their names, and without the others they are not the whole "
        + "export: \(published.map(\.string).joined(separator: ", ")); remove them, and export again"
    case .cannotIncrement(let path, let reason):
      "the export to \(path) cannot be incremental: \(reason)"
    case .baseMissing(let path, let uuid):
      "\(path): it rests on archive \(uuid), which is not there, or not as it was; bring it into the same folder"
    case .stopped(let path, let done, _, let error):
      (error is BackupError ? "\(error)" : "\(path): \(error)")
        + "; imported before it: \(done.map(\.string).joined(separator: ", "))"
    case .nameTooLong(let name):
      "the new archive cannot be named \(name): a name has at most \(FileName.maximumBytes) bytes"
    case .destinationExists(let path):
      "\(path) exists already, and an archive never overwrites a file; name another, or a folder"
    case .destinationInLibrary(let path):
      "\(path) lies in the library itself; choose a folder outside it, at best on another disk"
    case .noSuchDestination(let path):
      "there is no folder \(path) to write the archive to; make it first"
    case .cannotRepairEncrypted(let path):
      "\(path) is encrypted, and is not written anew without encryption"
    case .verificationFailed(let path, let damage):
      "the archive for \(path) did not read back as it was written, and was not kept: "
        + damage.joined(separator: "; ")
    case .unreliableDisk(let photo, let error):
      "\(photo) could be read, and then not (\(error)): look after the disk, or leave the photo out"
    case .unstablePhoto(let photo, let reason):
      "\(photo) keeps changing while it is read (\(reason)); try again when nothing writes to the library"
    case .notEnoughSpace(let path, let needed, let free):
      "not enough space in \(path): \(needed) bytes needed, with a reserve for the file system, and \(free) free"
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
