import Checksums
import FileSystem

/// The bytes of an entry that is neither compressed nor encrypted. Verifies their checksum with the last byte.
final class PlainEntry: ByteStream {
  private let archive: Archive
  private let entry: Entry
  private var checksum = CRC32()
  private var position = 0

  init(_ entry: Entry, of archive: Archive) { (self.entry, self.archive) = (entry, archive) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
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

  func announceReading(count: Int) {
    archive.file.file.announceReading(
      from: entry.dataOffset + position, count: min(count, entry.size - position))
  }
}

extension Archive {
  /// Opens an entry that is neither compressed nor encrypted. Any number of such streams can be open. Returns nil for
  /// other entries, which `EntryReader` opens.
  ///
  /// - Throws: `ArchiveError.changed` for an entry of another archive.
  package func openPlain(_ entry: Entry) throws(ArchiveError) -> (any ByteStream)? {
    guard contains(entry) else { throw .changed(path) }
    return entry.isPlain ? PlainEntry(entry, of: self) : nil
  }
}
