import Checksums
import FileSystem

/// Reads an entry that is neither compressed nor encrypted, and verifies its checksum. Unlike `EntryReader`, it has no
/// buffer of its own.
package struct PlainEntry: Sendable {
  private let archive: Archive
  private let entry: Entry
  private var checksum = CRC32()
  /// The number of bytes read so far.
  package private(set) var position = 0

  /// Returns nil for an entry that is compressed or encrypted.
  ///
  /// - Throws: `ArchiveError.changed` for an entry of another archive.
  package init?(_ entry: Entry, of archive: Archive) throws(ArchiveError) {
    guard archive.contains(entry) else { throw .changed(archive.path) }
    guard entry.isPlain else { return nil }
    self.archive = archive
    self.entry = entry
  }

  /// Reads the next bytes; fewer than the buffer's size only at the end. Verifies the bytes at the end.
  /// Blocks.
  ///
  /// - Throws: `.damaged` or `.file`.
  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    let wanted = min(buffer.count, entry.size - position)
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
    let count = try ArchiveError.onFile { () throws(FileError) in
      try archive.file.file.read(into: part, at: entry.dataOffset + position)
    }
    checksum.update(UnsafeRawBufferPointer(rebasing: part[..<count]))
    position += count
    guard count == wanted else {
      throw .damaged(
        archive.path, entry: entry.name, reason: .short(declared: entry.size, delivered: position))
    }
    if position == entry.size, checksum.value != entry.crc32 {
      throw .damaged(archive.path, entry: entry.name, reason: .checksum)
    }
    return count
  }
}
