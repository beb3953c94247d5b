import FileSystem
import Secrets
import SystemPackage

/// Reads entries of an archive, expanded, decrypted, and checked to the last byte. What is encrypted, or compressed other
/// than by deflate, is libzip's work. One for each thread: readers are independent of each other, and share the archive's open file. All
/// functions block.
package struct EntryReader: ~Copyable {
  private let archive: Archive
  private let password: Secret?
  private let view: EntryView
  /// Of which the next two are parts.
  private let memory: UnsafeMutableRawBufferPointer
  private let buffer: UnsafeMutableRawBufferPointer
  /// Bytes of the archive, 128 KiB.
  private let input: UnsafeMutableRawBufferPointer

  /// Bytes handed out at once, at most.
  package static let pieceSize = 256 << 10

  /// Makes a reader, with 384 KiB of memory of its own.
  /// - Parameter password: for encrypted entries. Others are read without it.
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
      throw .file(FileError("get memory to read", archive.path, .noMemory))
    }
  }

  deinit { memory.freePages() }

  /// Streams an entry in pieces, in order. A piece is valid during its call alone. The pieces never hold more
  /// than the declared size; that they are complete and right is certain when this returns, and not before.
  /// A folder has no pieces.
  /// - Throws: what `body` throws, unchanged; else `ArchiveError`: `.damaged`, `.passwordNeeded`,
  ///   `.wrongPassword`, `.file`, or `.changed` for an entry of another archive.
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

  /// Whether the password fits an encrypted entry, as far as its first bytes tell: one wrong password in 65,536 is
  /// taken for a right one with AES, one in 256 with the traditional encryption. Nothing else of the entry is read.
  /// - Throws: `.file`, or `.libzip` where it cannot be tried.
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

  /// A whole entry in memory.
  /// - Throws: as `read`, and before anything is read `ArchiveError.entryTooLarge` if it declares more than `limit`
  ///   bytes, `.file` with ENOMEM if there is no memory for them.
  package mutating func bytes(of entry: Entry, limit: Int) throws -> [UInt8] {
    guard entry.size <= limit else {
      throw ArchiveError.entryTooLarge(archive.path, entry: entry.name, bytes: entry.size, limit: limit)
    }
    // an array that gets no memory ends the program: so it is asked for, and given back, before
    try Self.pages(entry.size, for: archive).freePages()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entry.size)
    try read(entry) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// AE-2 has no checksum; its authentication code, over the encrypted bytes, stands for it. libzip checks
  /// that code only where it reads to the end of the encrypted bytes, which expanding does not do: so they
  /// are decrypted once for the code alone, and then again to be expanded.
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
    _ entry: Entry, as disguise: EntryView.Disguise, declared: Int? = nil,
    _ body: (UnsafeRawBufferPointer) throws(E) -> Void
  ) throws {
    let declared = declared ?? entry.size
    view.show(entry, as: disguise)
    var stream = try EntryStream.open(
      view, entry, path: archive.path, password: password, isRaw: disguise == .deflated)
    var delivered = 0
    while true {
      // one byte more than is left, to see whether there is one
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
