import Checksums
import FileSystem
import Foundation
import ImageHeader
import PhotoLibrary
import Secrets
import Zip

/// Proves by reading that an entry is intact, if no header confirms the entry.
struct EntryProof {
  let archive: Archive
  let password: Secret?
  let whileReading: (Int) throws -> Void

  /// Returns the MD5 of an entry that can be read to its end; nil for any other entry.
  /// - Throws: errors that concern the other entries too, and the errors of `whileReading`.
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
      if !error.cause.isOfContent { throw error }
      return nil
    }
  }

  /// Returns the bytes of a document that can be read to its end; nil for any other entry, and for a larger one.
  /// - Throws: the same errors as `digest`.
  func bytes(of entry: Entry, limit: Int) throws -> [UInt8]? {
    guard entry.size <= limit else { return nil }
    do {
      var reader = try EntryReader(archive, password: password)
      return try reader.bytes(of: entry, limit: limit)
    } catch let error as ArchiveError {
      if !error.cause.isOfContent { throw error }
      return nil
    }
  }

  /// Returns the first bytes of an entry, fewer if the entry is shorter; nil if they cannot be read. The bytes are
  /// unverified.
  /// - Throws: the same errors as `digest`.
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
      if !error.cause.isOfContent { throw error }
      return nil
    } catch is Enough {}
    return start
  }

  /// Returns the date in an image's own header, in milliseconds since 1970; nil if there is none.
  /// - Throws: the same errors as `digest`.
  func dateTaken(of entry: Entry) throws -> Int64? {
    guard let start = try start(of: entry, count: ImageHeader.readLimit) else { return nil }
    let header = ImageHeader.read { offset, count in Array(start.dropFirst(offset).prefix(count)) }
    return header.taken?.milliseconds
  }

  /// Returns true if the password opens an encrypted entry to its last byte. Such an entry is intact: the
  /// authentication code of AES cannot be made without the password, and the traditional encryption includes the
  /// checksum of the content. Unencrypted bytes prove nothing.
  func isOpenedByPassword(_ entry: Entry) throws -> Bool {
    guard entry.isEncrypted, let password, !password.isEmpty else { return false }
    return try digest(of: entry) != nil
  }
}

extension Entry {
  /// Returns why an entry that nothing confirms is left out.
  func reasonWhyUnverified(among count: Int = 1) -> String {
    if count > 1 { return "no entry named \(name.escaped) has the recorded checksum" }
    return isEncrypted
      ? "it is damaged, or encrypted with another password"
      : "its checksum is lost, and nothing else verifies the file"
  }
}
