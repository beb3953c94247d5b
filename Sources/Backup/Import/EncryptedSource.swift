import Operations
import Secrets
import Zip

/// What is different about a backup that is encrypted, whole or in part.
extension BackupSource {
  /// What somebody is about to read.
  enum Reading {
    case photos, allEntries
  }

  /// The bytes of `metadata.json`. If the password does not open them, the archive's other entries, which have keys
  /// of their own, are asked whether it is the password's fault or theirs.
  ///
  /// - Throws: `BackupError`, or `ArchiveError` where the password is right and the entry damaged.
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
      let others = archive.entries.filter { $0.isEncrypted && $0.index != entry.index }.prefix(witnesses)
      var fitting = 0
      for other in others where try reader.passwordFits(other) { fitting += 1 }
      if fitting == 0, case .wrongPassword = error { throw BackupError.wrongPassword(archive.path) }
      // a wrong password fits one of them by chance, and not most
      guard fitting > 1, fitting * 2 > others.count else {
        throw BackupError.wrongPasswordOrDamaged(archive.path)
      }
      throw ArchiveError.damaged(archive.path, entry: entry.name, reason: .checksum)
    }
  }

  private static let witnesses = 8

  /// A reader of the archive that knows the password. One for each thread.
  func entryReader(_ archive: Archive) throws(ArchiveError) -> EntryReader {
    try EntryReader(archive, password: password)
  }

  /// Refuses an archive whose metadata is readable while what is to be read is encrypted, if there is no password:
  /// its photos are not damaged, they wait for one. With a password, each photo that it does not fit is damaged by
  /// itself.
  func requirePassword(toRead reading: Reading) throws {
    guard password?.isEmpty ?? true else { return }
    let isMissed: Bool =
      switch reading {
      case .allEntries: archive?.entries.contains(where: \.isEncrypted) ?? false
      case .photos: photos.contains { $0.content.isEncrypted }
      }
    if isMissed { throw BackupError.passwordNeeded(path) }
  }
}

extension BackupSource.Content {
  /// Whether a password is needed for the bytes.
  var isEncrypted: Bool {
    switch self {
    case .entry(let entry, _), .base(let entry, _, _): entry.isEncrypted
    case .asset, .file, .absent: false
    }
  }
}
