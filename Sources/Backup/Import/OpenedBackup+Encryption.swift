import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// Reads backups that are encrypted, completely or in part.
extension OpenedBackup {
  /// The entries that the caller is about to read.
  enum Reading {
    case photos, allEntries
  }

  /// Returns the bytes of `metadata.json`. If the password does not open the entry, tries it on other entries, which
  /// have their own keys, to find out whether the password is wrong or the entry is corrupt.
  ///
  /// - Throws: `BackupError`, or `ArchiveError` if the password is right and the entry is corrupt.
  static func document(in entry: Entry, of archive: Archive, _ limits: Limits, _ password: Secret?) throws
    -> [UInt8]
  {
    if entry.isEncrypted, password?.isEmpty ?? true { throw BackupError.passwordNeeded(archive.path) }
    var reader = try EntryReader(archive, password: password)
    do {
      return try reader.bytes(of: entry, limit: limits.maximumDocumentBytes)
    } catch let error as ArchiveError {
      guard entry.isEncrypted else { throw error }
      switch error {
      case .damaged, .wrongPassword: break
      default: throw error
      }
      let samples = archive.entries.filter { $0.isEncrypted && $0.index != entry.index }.prefix(
        maximumSamples)
      var opened = 0
      for sample in samples where try reader.passwordFits(sample) { opened += 1 }
      if opened == 0, case .wrongPassword = error { throw BackupError.wrongPassword(archive.path) }
      // a wrong password may fit one of the entries by chance, but not most of them
      guard opened > 1, opened * 2 > samples.count else {
        throw BackupError.wrongPasswordOrDamaged(archive.path)
      }
      throw ArchiveError.damaged(archive.path, entry: entry.name, reason: .checksum)
    }
  }

  private static let maximumSamples = 8

  /// Reports what is not encrypted in an archive, if the caller gave a password: an attacker can make a plain archive or
  /// entry without the password.
  static func warningsOfPlainEntries(in archive: Archive?, _ password: Secret?) -> [String] {
    guard let archive, password?.isEmpty == false else { return [] }
    let entries = archive.entries.filter { !$0.isDirectory && !$0.isIgnored }
    let plain = entries.filter { !$0.isEncrypted }
    guard let first = plain.first else { return [] }
    guard plain.count < entries.count else { return [plainWarning(of: archive.path)] }
    return [
      "\(Count(plain.count, "entry is", "entries are")) not encrypted in \(archive.path), such as \(first.name); "
        .escaped + "they can be made without the password"
    ]
  }

  /// Reports a backup that has no encrypted entry.
  static func plainWarning(of path: FilePath) -> String {
    "\(path) is not encrypted; it can be made without the password".escaped
  }

  /// Returns a reader of the archive with its password. Each thread needs its own.
  func entryReader(_ archive: Archive) throws(ArchiveError) -> EntryReader {
    try EntryReader(archive, password: password)
  }

  /// Refuses an archive whose metadata is readable while other entries are encrypted, if there is no password: those
  /// entries are not corrupt. With a password, an entry that the password does not open counts as corrupt.
  func requirePassword(toRead reading: Reading) throws {
    guard password?.isEmpty ?? true else { return }
    let needsPassword: Bool =
      switch reading {
      case .allEntries: archive?.entries.contains(where: \.isEncrypted) ?? false
      case .photos: photos.contains { $0.location.isEncrypted }
      }
    if needsPassword { throw BackupError.passwordNeeded(path) }
  }
}
