import FileSystem
import Secrets
import SystemPackage
import Zip

/// Reads backups that are encrypted, completely or in part.
extension OpenedBackup {
  /// The entries that the caller is about to read.
  enum Reading {
    case photos, allEntries
  }

  /// Reports what is not encrypted in the archive, if the caller gave a password: an attacker can make a plain archive
  /// or entry without the password.
  var warningsOfPlainEntries: [String] {
    guard let archive, password?.isEmpty == false else { return [] }
    let entries = archive.entries.filter { !$0.isDirectory && !$0.isIgnored }
    let plain = entries.filter { !$0.isEncrypted }
    guard let first = plain.first else { return [] }
    guard plain.count < entries.count else { return [Self.plainWarning(of: archive.path)] }
    return [
      "\(Count(plain.count, "entry is", "entries are")) not encrypted in \(archive.path), such as \(first.name); "
        .escaped + "they can be made without the password"
    ]
  }

  /// Reports a backup that has no encrypted entry.
  static func plainWarning(of path: FilePath) -> String {
    "\(path) is not encrypted; it can be made without the password".escaped
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
