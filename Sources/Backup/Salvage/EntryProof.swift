import Checksums
import FileSystem
import PhotoLibrary
import Secrets
import Zip

/// Finds out by reading it whether an entry is whole for which no header vouches.
struct EntryProof {
  let archive: Archive
  let password: Secret?
  let whileReading: (Int) throws -> Void

  /// The MD5 of an entry that reads to its end; nil for one that does not.
  /// - Throws: what keeps the others from being read too, and what `whileReading` throws.
  func digest(of entry: Entry) throws -> MD5Digest? {
    do {
      var reader = try EntryReader(archive, password: password)
      var hash = RunningMD5()
      try reader.read(entry) { bytes in
        try whileReading(bytes.count)
        hash.update(bytes)
      }
      return hash.digest
    } catch let error as ArchiveError {
      if error.isEnvironmentFailure { throw error }
      return nil
    }
  }

  /// The first bytes of an entry, fewer if it is shorter; nil if they cannot be read. That they are right is not
  /// said.
  /// - Throws: as `digest`.
  func start(of entry: Entry, count: Int) throws -> [UInt8]? {
    struct Enough: Error {}
    var start: [UInt8] = []
    do {
      var reader = try EntryReader(archive, password: password)
      try reader.read(entry) { bytes in
        try whileReading(bytes.count)
        start += bytes.prefix(count - start.count)
        if start.count == count { throw Enough() }
      }
    } catch let error as ArchiveError {
      if error.isEnvironmentFailure { throw error }
      return nil
    } catch is Enough {}
    return start
  }

  /// Whether the password opens an encrypted entry to its last byte. Then it is whole: nobody makes the
  /// authentication code of AES without the password, and the traditional encryption keeps the checksum of what
  /// was put in. Bytes that are not encrypted prove nothing by being there.
  func isOpenedByPassword(_ entry: Entry) throws -> Bool {
    guard entry.isEncrypted, let password, !password.isEmpty else { return false }
    return try digest(of: entry) != nil
  }
}

extension Entry {
  /// Why an entry that nothing vouches for is not taken.
  func reasonWhyUnproven(among count: Int = 1) -> String {
    if count > 1 { return "none of the \(count) entries \(name.escaped) is the one" }
    return isEncrypted
      ? "it is damaged, or encrypted with another password"
      : "its checksum is lost, and nothing else tells whether it is whole"
  }
}
