import FileSystem
import Secrets
import SystemPackage

/// Opens entries of an archive: decrypts and decompresses them, and verifies their checksums. It uses libzip for
/// entries that are encrypted, or compressed by another method than deflate.
///
/// Each thread needs its own reader. Readers are independent of each other, and share the open file of the archive. All
/// functions block.
package struct EntryReader: ~Copyable {
  private let archive: Archive
  private let password: Secret?
  private let view: EntryView
  /// The buffer for bytes of the archive, 128 KiB.
  private let input: PageBuffer
  /// The buffer for pieces; nil until it is needed.
  private var pieces: PageBuffer?

  /// The most bytes in a piece.
  package static let pieceSize = 256 << 10

  /// Makes a reader, with 128 KiB of buffers.
  /// - Parameter password: for encrypted entries; others do not need it.
  /// - Throws: `ArchiveError.changed` if the file was written to since it was scanned; `.file` with ENOMEM.
  package init(_ archive: Archive, password: Secret? = nil) throws(ArchiveError) {
    try archive.requireUnchanged()
    let input = try Self.pages(128 << 10, for: archive)
    self.archive = archive
    self.password = password
    self.input = input
    view = EntryView(archive.file, ahead: input)
  }

  private static func pages(_ count: Int, for archive: Archive) throws(ArchiveError) -> PageBuffer {
    do {
      return try PageBuffer(byteCount: count)
    } catch {
      throw .file(FileError("allocate memory to read", archive.path, .noMemory))
    }
  }

  private mutating func buffer() throws(ArchiveError) -> UnsafeMutableRawBufferPointer {
    let buffer = if let pieces { pieces } else { try Self.pages(Self.pieceSize, for: archive) }
    pieces = buffer
    return buffer.bytes
  }

  /// Opens an entry. A stream of an entry that is compressed or encrypted must not be read after another one was
  /// opened. The bytes never exceed the declared size. A folder has none.
  ///
  /// The stream throws `ArchiveError`: `.damaged`, `.wrongPassword`, or `.file`.
  /// - Throws: the same errors, `.passwordNeeded`, or `.changed` for an entry of another archive.
  package mutating func open(_ entry: Entry) throws(ArchiveError) -> any ByteStream {
    if let plain = try archive.openPlain(entry) { return plain }
    switch (entry.encryption, entry.method) {
    case (.none, _) where entry.size == 0 && entry.compressedSize == 0:
      return PlainEntry(entry, of: archive)
    case (.none, 8):
      return try DeflatedEntry(entry, of: archive, input: input)
    case (.aes(_, hasCRC: false), let method):
      return try openAuthenticated(entry, isCompressed: method != 0)
    default:
      return try stream(entry, as: .none)
    }
  }

  /// Passes an entry to `body` in pieces, in order. A piece is valid only during the call. The entry is verified only
  /// when the function returns.
  ///
  /// - Throws: what `body` throws; otherwise the errors of `open` and its stream.
  package mutating func read<E: Error>(
    _ entry: Entry, _ body: (UnsafeRawBufferPointer) throws(E) -> Void
  ) throws {
    let stream = try open(entry)
    let buffer = try buffer()
    while case let count = try stream.read(into: buffer), count > 0 {
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Returns true if the password passes the password check of an encrypted entry. A wrong password passes with a
  /// probability of 1/65,536 for AES, and of 1/256 for the traditional encryption. Reads only the first bytes of the
  /// entry.
  /// - Throws: `.file`, or `.libzip` if the password cannot be tried.
  package mutating func passwordFits(_ entry: Entry) throws(ArchiveError) -> Bool {
    do {
      _ = try stream(entry, as: .none)
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
    _ = try Self.pages(entry.size, for: archive)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entry.size)
    try read(entry) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Opens an AE-2 entry. It has an authentication code over the encrypted bytes instead of a checksum. libzip checks
  /// the code only if it reads to the end of the encrypted bytes, which decompression does not do. Therefore the data
  /// of a compressed entry is decrypted once to check the code, and once more to decompress it.
  private mutating func openAuthenticated(
    _ entry: Entry, isCompressed: Bool
  ) throws(ArchiveError) -> any ByteStream {
    guard isCompressed else { return try stream(entry, as: .deflated) }
    let decrypted = try stream(
      entry, as: .deflated, declared: entry.compressedSize - entry.encryptionOverhead)
    let buffer = try buffer()
    while try decrypted.read(into: buffer) > 0 {}
    return try stream(entry, as: .withoutChecksum)
  }

  private func stream(
    _ entry: Entry, as presentation: EntryView.Presentation, declared: Int? = nil
  ) throws(ArchiveError) -> EntryStream {
    try EntryStream(
      view, entry, as: presentation, path: archive.path, password: password, declared: declared)
  }
}
