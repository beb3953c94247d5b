import Checksums
import FileSystem

/// The bytes of a deflated entry that is not encrypted. Verifies their checksum, their number, and that the data ends
/// where the directory says. libzip does not check the latter.
final class DeflatedEntry: ByteStream {
  private let archive: Archive
  private let entry: Entry
  private let input: PageBuffer
  private var inflation: Inflation
  /// The range of `input` that is not inflated yet.
  private var waiting = 0..<0
  /// The number of compressed bytes read.
  private var taken = 0
  private var delivered = 0
  private var checksum = CRC32()

  /// - Parameter input: a buffer for compressed bytes.
  init(_ entry: Entry, of archive: Archive, input: PageBuffer) throws(ArchiveError) {
    inflation = try Inflation(from: archive.path)
    self.archive = archive
    self.entry = entry
    self.input = input
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    let left = entry.size - delivered
    // one byte more than is left, to detect data that is too long
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(min(left, buffer.count - 1) + 1))
    while inflation.state == .running {
      if waiting.isEmpty { try load() }
      let (used, produced) = try inflation.expand(
        UnsafeRawBufferPointer(rebasing: input.bytes[waiting]), into: room)
      waiting = waiting.dropFirst(used)
      guard inflation.state != .broken else { throw damaged(.compressedData) }
      guard produced <= left else { throw damaged(.long(declared: entry.size)) }
      if produced > 0 {
        checksum.update(UnsafeRawBufferPointer(rebasing: room[..<produced]))
        delivered += produced
        return produced
      }
      if used == 0, inflation.state == .running { break }
    }
    guard delivered == entry.size, inflation.state == .ended else {
      throw damaged(.short(declared: entry.size, delivered: delivered))
    }
    guard checksum.value == entry.crc32 else { throw damaged(.checksum) }
    let surplus = entry.compressedSize - taken + waiting.count
    guard surplus == 0 else { throw damaged(.surplus(bytes: surplus)) }
    return 0
  }

  private func load() throws(ArchiveError) {
    let wanted = UnsafeMutableRawBufferPointer(rebasing: input.bytes.prefix(entry.compressedSize - taken))
    let offset = entry.dataOffset + taken
    let count = try ArchiveError.onFile { () throws(FileError) in
      try archive.file.file.read(into: wanted, at: offset)
    }
    taken += count
    waiting = 0..<count
  }

  private func damaged(_ reason: Damage) -> ArchiveError {
    .damaged(archive.path, entry: entry.name, reason: reason)
  }
}
