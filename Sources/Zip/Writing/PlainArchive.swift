import Checksums
import FileSystem

/// Writes the records and the texts of an archive that is not encrypted. It computes the checksums of placed entries,
/// whose bytes `PlacedContents` writes. It keeps only the directory in memory.
struct PlainArchive {
  private var directory: [UInt8] = []
  private var count = 0
  private var placedCount = 0
  /// The offset of the next entry.
  private var position = 0

  mutating func write(
    _ entries: [NewEntry], to file: borrowing File, _ placed: any PlacedContents,
    _ isCancelled: @escaping () -> Bool
  ) throws -> Int {
    for entry in entries {
      switch entry.contents {
      case .placed(let size): try addPlaced(entry, size: size, to: file, placed, isCancelled)
      case .text(let text, let isCompressed):
        try addText(entry, text, deflates: !isCompressed, to: file, isCancelled)
      }
    }
    try file.write(directory, at: position)
    let end = ArchiveEnd(count: count, size: directory.count, offset: position).bytes
    try file.write(end, at: position + directory.count)
    return position + directory.count + end.count
  }

  private mutating func addPlaced(
    _ entry: NewEntry, size: Int, to file: borrowing File, _ placed: any PlacedContents,
    _ isCancelled: @escaping () -> Bool
  ) throws {
    var record = EntryRecord(entry, method: 0, offset: position)
    (record.size, record.compressedSize) = (size, size)
    let start = position + record.headerSize
    try placed.open(placedCount, at: start)
    do {
      defer { placed.close() }
      record.crc32 = try checksum(of: placed, size: size, isCancelled)
    }
    let header = record.localHeader
    let isTaken = try header.withUnsafeBytes { try placed.takeHeader($0, at: position) }
    if !isTaken { try file.write(header, at: position) }
    placedCount += 1
    end(record, at: start + size)
  }

  private func checksum(
    of placed: any PlacedContents, size: Int, _ isCancelled: @escaping () -> Bool
  ) throws -> UInt32 {
    var checksum = CRC32()
    var given = 0
    while given < size {
      if isCancelled() { throw CancellationError() }
      let bytes = try placed.next()
      checksum.update(bytes)
      given += bytes.count
      guard !bytes.isEmpty, given <= size else {
        throw ArchiveWriteError.length(entry: placedCount, expected: size, given: given)
      }
    }
    return checksum.value
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
    var (waiting, place) = (record.localHeader, position)
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
        try file.write(waiting, at: place)
        place += waiting.count
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
    if place == position {
      // in one write: some FAT drivers do not support writing backwards
      waiting.replaceSubrange(..<record.headerSize, with: record.localHeader)
      try file.write(waiting, at: place)
    } else {
      try file.write(waiting, at: place)
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
