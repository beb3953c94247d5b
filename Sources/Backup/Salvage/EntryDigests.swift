import Checksums
import FileSystem
import ImageHeader
import PhotoLibrary
import Secrets
import Zip

/// Reads entries that were found in a damaged archive, in whole or in part.
struct EntryDigests {
  let archive: Archive
  let password: Secret?
  /// Called with the number of bytes that were read since the last call; may throw to stop the search.
  let whileReading: (Int) throws -> Void

  /// Returns the MD5 of an entry that can be read to its end; nil for any other entry.
  /// - Throws: errors that concern the other entries too, and the errors of `whileReading`.
  func digest(of entry: Entry) throws -> MD5Digest? {
    try reading { reader in
      var hash = RunningMD5()
      try reader.read(entry) { bytes in
        try whileReading(bytes.count)
        hash.update(bytes)
      }
      return hash.digest
    }
  }

  /// Returns the bytes of a document that can be read to its end; nil for any other entry, and for a larger one.
  /// - Throws: the same errors as `digest`.
  func bytes(of entry: Entry, limit: Int) throws -> [UInt8]? {
    guard entry.size <= limit else { return nil }
    return try reading { reader in try reader.bytes(of: entry, limit: limit) }
  }

  /// Returns the first bytes of an entry, fewer if the entry is shorter; nil if they cannot be read. The bytes are
  /// unverified.
  /// - Throws: the same errors as `digest`.
  func start(of entry: Entry, count: Int) throws -> [UInt8]? {
    try reading { reader in
      let stream = try reader.open(entry)
      // of the usual size, so that the damage of a small entry is found
      let piece = try UnsafeMutableRawBufferPointer.pages(byteCount: EntryReader.pieceSize)
      defer { piece.freePages() }
      var start: [UInt8] = []
      while start.count < count, case let read = try stream.read(into: piece), read > 0 {
        try whileReading(read)
        start += piece[..<min(read, count - start.count)]
      }
      return start
    }
  }

  /// Returns nil if the archive's bytes are the reason for an error.
  private func reading<Value>(_ body: (inout EntryReader) throws -> Value) throws -> Value? {
    do {
      var reader = try EntryReader(archive, password: password)
      return try body(&reader)
    } catch let error as ArchiveError {
      if !error.cause.isOfContent { throw error }
      return nil
    }
  }

  /// Returns the date in an image's own header; nil if there is none.
  /// - Throws: the same errors as `digest`.
  func dateTaken(of entry: Entry) throws -> Timestamp? {
    guard let start = try start(of: entry, count: ImageHeader.readLimit) else { return nil }
    let header = ImageHeader.read { offset, count in Array(start.dropFirst(offset).prefix(count)) }
    return header.taken.map(Timestamp.init)
  }

  /// Returns true if the password opens an encrypted entry to its last byte. Such an entry is intact: the
  /// authentication code of AES cannot be made without the password, and the traditional encryption includes the
  /// checksum of the content. Unencrypted bytes prove nothing.
  func isOpenedByPassword(_ entry: Entry) throws -> Bool {
    guard entry.isEncrypted, let password, !password.isEmpty else { return false }
    return try digest(of: entry) != nil
  }
}
