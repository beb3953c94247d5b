import FileSystem
import Secrets
import SystemPackage

/// Reads, decrypts and decompresses entries of an archive, and verifies their checksums. It uses libzip for entries
/// that are encrypted, or compressed by another method than deflate.
///
/// Each thread needs its own reader. Readers are independent of each other, and share the open file of the archive. All
/// functions block.
package struct EntryReader: ~Copyable {
  private let archive: Archive
  private let password: Secret?
  private let view: EntryView
  /// The memory of the next two buffers.
  private let memory: UnsafeMutableRawBufferPointer
  private let buffer: UnsafeMutableRawBufferPointer
  /// The buffer for bytes of the archive, 128 KiB.
  private let input: UnsafeMutableRawBufferPointer

  /// The most bytes in a piece.
  package static let pieceSize = 256 << 10

  /// Makes a reader, with 384 KiB of buffers.
  /// - Parameter password: for encrypted entries; others do not need it.
  /// - Throws: `ArchiveError.changed` if the file was written to since it was scanned; `.file` with ENOMEM.
  package init(_ archive: Archive, password: Secret? = nil) throws(ArchiveError) {
    try archive.file.checkUnchanged()
    let memory = try Self.pages(Self.pieceSize + 128 << 10, for: archive)
    self.memory = memory
    self.archive = archive
    self.password = password
    buffer = UnsafeMutableRawBufferPointer(rebasing: memory[..<Self.pieceSize])
    input = UnsafeMutableRawBufferPointer(rebasing: memory[Self.pieceSize...])
    view = EntryView(archive.file, ahead: input)
  }

  private static func pages(
    _ count: Int, for archive: Archive
  ) throws(ArchiveError) -> UnsafeMutableRawBufferPointer {
    do {
      return try .pages(byteCount: count)
    } catch {
      throw .file(FileError("allocate memory to read", archive.path, .noMemory))
    }
  }

  deinit { memory.freePages() }

  /// Passes an entry to `body` in pieces, in order. A piece is valid only during the call. The pieces never exceed the
  /// declared size. The entry is verified only when the function returns. A folder has no pieces.
  ///
  /// - Throws: what `body` throws; otherwise `ArchiveError`: `.damaged`, `.passwordNeeded`, `.wrongPassword`, `.file`,
  ///   or `.changed` for an entry of another archive.
  package mutating func read<E: Error>(
    _ entry: Entry, _ body: (UnsafeRawBufferPointer) throws(E) -> Void
  ) throws {
    if var plain = try PlainEntry(entry, of: archive) {
      while plain.position < entry.size {
        let count = try plain.read(into: buffer)
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      return
    }
    switch (entry.encryption, entry.method) {
    case (.none, _) where entry.size == 0 && entry.compressedSize == 0:
      return
    case (.none, 8):
      var deflated = try DeflatedEntry(entry, of: archive, input: input)
      while case let count = try deflated.read(into: buffer), count > 0 {
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    case (.aes(_, hasCRC: false), _):
      try readAuthenticated(entry, body)
    default:
      try stream(entry, as: .none, body)
    }
  }

  /// Returns true if the password passes the password check of an encrypted entry. A wrong password passes with a
  /// probability of 1/65,536 for AES, and of 1/256 for the traditional encryption. Reads only the first bytes of the
  /// entry.
  /// - Throws: `.file`, or `.libzip` if the password cannot be tried.
  package mutating func passwordFits(_ entry: Entry) throws(ArchiveError) -> Bool {
    view.show(entry, as: .none)
    do {
      _ = try EntryStream.open(view, entry, path: archive.path, password: password, isRaw: false)
      return true
    } catch {
      switch error {
      case .wrongPassword, .passwordNeeded, .damaged: return false
      default: throw error
      }
    }
  }

  /// Reads a whole entry into memory.
  /// - Throws: as `read`; before it reads anything, `ArchiveError.entryTooLarge` if the entry declares more than
  ///   `limit` bytes, and `.file` with ENOMEM if there is no memory for them.
  package mutating func bytes(of entry: Entry, limit: Int) throws -> [UInt8] {
    guard entry.size <= limit else {
      throw ArchiveError.entryTooLarge(archive.path, entry: entry.name, bytes: entry.size, limit: limit)
    }
    // an array that gets no memory ends the program, so the memory is allocated and freed first
    try Self.pages(entry.size, for: archive).freePages()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entry.size)
    try read(entry) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Reads an AE-2 entry. It has an authentication code over the encrypted bytes instead of a checksum. libzip checks
  /// the code only if it reads to the end of the encrypted bytes, which decompression does not do. Therefore the data
  /// is decrypted once to check the code, and once more to decompress it.
  private func readAuthenticated<E: Error>(
    _ entry: Entry, _ body: (UnsafeRawBufferPointer) throws(E) -> Void
  ) throws {
    if entry.method == 0 {
      try stream(entry, as: .deflated, body)
    } else {
      let decrypted = entry.compressedSize - entry.encryptionOverhead
      try stream(entry, as: .deflated, declared: decrypted) { _ in }
      try stream(entry, as: .withoutChecksum, body)
    }
  }

  private func stream<E: Error>(
    _ entry: Entry, as presentation: EntryView.Presentation, declared: Int? = nil,
    _ body: (UnsafeRawBufferPointer) throws(E) -> Void
  ) throws {
    let declared = declared ?? entry.size
    view.show(entry, as: presentation)
    var stream = try EntryStream.open(
      view, entry, path: archive.path, password: password, isRaw: presentation == .deflated)
    var delivered = 0
    while true {
      // one byte more than is left, to detect data that is too long
      let wanted = min(buffer.count - 1, declared - delivered) + 1
      let count = try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
      if count == 0 { break }
      guard count <= declared - delivered else { throw damaged(entry, .long(declared: declared)) }
      delivered += count
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    try stream.close()
    guard delivered == declared else {
      throw damaged(entry, .short(declared: declared, delivered: delivered))
    }
  }

  private func damaged(_ entry: Entry, _ reason: Damage) -> ArchiveError {
    .damaged(archive.path, entry: entry.name, reason: reason)
  }
}
