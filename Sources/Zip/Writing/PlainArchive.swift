import Checksums
import FileSystem

/// Writes an archive that is not encrypted. It keeps only the directory in memory.
struct PlainArchive {
  private var directory: [UInt8] = []
  private var count = 0
  /// The offset of the next entry.
  private var position = 0

  mutating func write(
    _ stored: [NewEntry], _ contents: any StoredContents, _ startsWriteBack: Bool,
    _ texts: [NewEntry], to file: borrowing File, _ isCancelled: @escaping () -> Bool
  ) throws -> Int {
    var entries = StoredEntries(stored, startsWriteBack: startsWriteBack)
    while let pieces = try contents.next() { try entries.write(pieces, to: file) }
    try entries.appendToDirectory(&directory)
    (count, position) = (stored.count, entries.end)
    for entry in texts {
      guard case .text(let text, let isCompressed) = entry.contents else { continue }
      try addText(entry, text, deflates: !isCompressed, to: file, isCancelled)
    }
    try file.write(directory, at: position)
    let end = ArchiveEnd(count: count, size: directory.count, offset: position).bytes
    try file.write(end, at: position + directory.count)
    return position + directory.count + end.count
  }

  private mutating func addText(
    _ entry: NewEntry, _ text: ArchiveWriter.Text, deflates: Bool, to file: borrowing File,
    _ isCancelled: @escaping () -> Bool
  ) throws {
    var record = EntryRecord(entry, method: deflates ? 8 : 0, offset: position)
    var deflation = deflates ? Deflation() : nil
    guard !deflates || deflation != nil else { throw ArchiveWriteError.memory }
    var checksum = CRC32()
    // the bytes to write next, and their offset; they begin with the header, whose numbers are not known yet
    var (waiting, offset) = (record.localHeader, position)
    // processes a piece of the text; nil ends the text
    func pass(_ piece: UnsafeRawBufferPointer?) throws {
      if isCancelled() { throw CancellationError() }
      if let piece {
        checksum.update(piece)
        record.size += piece.count
      }
      func add(_ bytes: UnsafeRawBufferPointer) throws {
        record.compressedSize += bytes.count
        waiting += bytes
        guard waiting.count >= Self.capacity else { return }
        try file.write(waiting, at: offset)
        offset += waiting.count
        waiting.removeAll(keepingCapacity: true)
      }
      if deflates {
        try deflation?.deflate(piece, add)
      } else if let piece {
        try add(piece)
      }
      // the header has no space for ZIP64
      guard !record.isLarge else { throw ArchiveWriteError.textTooLong(bytes: record.size) }
    }
    try text { try pass($0) }
    try pass(nil)
    record.crc32 = checksum.value
    if offset == position {
      // in one write: some FAT drivers do not support writing backwards
      waiting.replaceSubrange(..<record.headerSize, with: record.localHeader)
      try file.write(waiting, at: offset)
    } else {
      try file.write(waiting, at: offset)
      try file.write(record.localHeader, at: position)
    }
    end(record, at: position + record.headerSize + record.compressedSize)
  }

  /// The most bytes of a text in one write.
  private static let capacity = 256 << 10

  private mutating func end(_ record: EntryRecord, at end: Int) {
    record.appendToDirectory(&directory)
    count += 1
    position = end
  }
}
