import CLibZip
import Checksums
import FileSystem

/// Inflates an entry that is not encrypted, and verifies its checksum, its size, and that its data ends where the
/// directory says. libzip does not check the latter.
struct DeflatedEntry: ~Copyable {
  private let archive: Archive
  private let entry: Entry
  private let input: UnsafeMutableRawBufferPointer
  private var inflation: Inflation
  /// The range of `input` that is not inflated yet.
  private var waiting = 0..<0
  /// The number of compressed bytes read.
  private var taken = 0
  private var delivered = 0
  private var checksum = CRC32()

  /// - Parameter input: a buffer for compressed bytes, which must outlive the value.
  init(
    _ entry: Entry, of archive: Archive, input: UnsafeMutableRawBufferPointer
  ) throws(ArchiveError) {
    guard let inflation = Inflation() else {
      throw .libzip(archive.path, code: ZIP_ER_MEMORY, text: "out of memory")
    }
    self.inflation = inflation
    self.archive = archive
    self.entry = entry
    self.input = input
  }

  /// Inflates the next bytes; returns 0 at the end, when the entry is verified.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    let left = entry.size - delivered
    // one byte more than is left, to detect data that is too long
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(min(left, buffer.count - 1) + 1))
    while inflation.state == .running {
      if waiting.isEmpty { try fill() }
      let (used, produced) = inflation.expand(
        UnsafeRawBufferPointer(rebasing: input[waiting]), into: room)
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

  private mutating func fill() throws(ArchiveError) {
    let wanted = UnsafeMutableRawBufferPointer(rebasing: input.prefix(entry.compressedSize - taken))
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
