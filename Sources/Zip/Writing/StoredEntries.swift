import Checksums
import FileSystem

/// Writes the stored entries of an archive that is not encrypted. Where each lies follows from names and sizes, so that
/// their pieces may come in any order.
struct StoredEntries: ~Copyable {
  /// The end of the last entry.
  private(set) var end = 0

  private let entries: [NewEntry]
  /// The offset of each local header.
  private var offsets: [Int] = []
  /// The checksum of each complete entry.
  private var checksums: [UInt32?]
  /// The entries of which some bytes are written: their checksum so far, and the number of these bytes.
  private var begun: [Int: (checksum: CRC32, count: Int)] = [:]
  private var gathered = GatheredWrite()
  private var writeBack: WriteBack

  init(_ entries: [NewEntry], startsWriteBack: Bool) {
    self.entries = entries
    checksums = Array(repeating: nil, count: entries.count)
    writeBack = WriteBack(isOn: startsWriteBack)
    offsets.reserveCapacity(entries.count)
    for index in 0..<entries.count {
      offsets.append(end)
      end += headerSize(index) + size(index)
    }
  }

  /// Writes pieces, those that are neighbours in the archive together. Writes the header of an entry before its first
  /// piece, since some file systems cannot leave a gap, and again when its checksum is known.
  mutating func write(_ pieces: [StoredPiece], to file: borrowing File) throws {
    var completed: [Int] = []
    for piece in pieces {
      let index = piece.entry
      let before = begun[index]
      var (checksum, count) = before ?? (CRC32(), 0)
      checksum.update(piece.bytes)
      let start = offsets[index] + headerSize(index) + count
      count += piece.bytes.count
      guard checksums[index] == nil, piece.isLast ? count == size(index) : count <= size(index) else {
        throw ArchiveWriteError.length(entry: index, expected: size(index), given: count)
      }
      begun[index] = piece.isLast ? nil : (checksum, count)
      if piece.isLast {
        checksums[index] = checksum.value
        if before != nil { completed.append(index) }
      }
      if before == nil { try gathered.add(record(index).localHeader, at: offsets[index], to: file) }
      try gathered.add(piece.bytes, at: start, to: file)
      writeBack.add(start..<start + piece.bytes.count)
    }
    try gathered.flush(to: file)
    for index in completed { try file.write(record(index).localHeader, at: offsets[index]) }
    writeBack.start(in: file)
  }

  /// Adds the directory records of all entries.
  ///
  /// - Throws: `ArchiveWriteError.length` if an entry is not complete.
  func appendToDirectory(_ directory: inout [UInt8]) throws {
    for index in 0..<entries.count {
      guard checksums[index] != nil else {
        throw ArchiveWriteError.length(
          entry: index, expected: size(index), given: begun[index]?.count ?? 0)
      }
      record(index).appendToDirectory(&directory)
    }
  }

  private func size(_ index: Int) -> Int { entries[index].storedSize ?? 0 }

  private func headerSize(_ index: Int) -> Int {
    EntryRecord.headerSize(entries[index].name, isLarge: size(index) >= ExtraFields.zip64Limit)
  }

  private func record(_ index: Int) -> EntryRecord {
    var record = EntryRecord(entries[index], method: 0, offset: offsets[index])
    (record.size, record.compressedSize) = (size(index), size(index))
    record.crc32 = checksums[index] ?? 0
    return record
  }
}

/// Bytes that are neighbours in a file, to write them with one system call.
private struct GatheredWrite: ~Copyable {
  private var parts: [UnsafeRawBufferPointer] = []
  private var start = 0
  private var count = 0
  /// The headers among the parts.
  private let headers: UnsafeMutableRawBufferPointer
  private var headersEnd = 0

  /// A call with more bytes takes longer for each of them.
  private static let mostBytes = 1 << 20
  /// Half of the most parts that the kernel accepts: writev(2), IOV_MAX.
  private static let mostParts = 512
  /// Enough for a header with the longest name, and for many of usual length.
  private static let headersSize = 128 << 10

  init() { headers = .allocate(byteCount: Self.headersSize, alignment: 16) }

  deinit { headers.deallocate() }

  /// Adds bytes that stay valid until `flush`.
  mutating func add(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, to file: borrowing File
  ) throws(FileError) {
    try makeRoom(for: bytes.count, at: offset, in: file)
    append(bytes)
  }

  /// Adds a copy of a header.
  mutating func add(_ header: [UInt8], at offset: Int, to file: borrowing File) throws(FileError) {
    if headersEnd + header.count > headers.count { try flush(to: file) }
    try makeRoom(for: header.count, at: offset, in: file)
    let copy = UnsafeMutableRawBufferPointer(rebasing: headers[headersEnd..<headersEnd + header.count])
    copy.copyBytes(from: header)
    headersEnd += header.count
    append(UnsafeRawBufferPointer(copy))
  }

  /// Writes what cannot be written together with the next bytes.
  private mutating func makeRoom(
    for bytes: Int, at offset: Int, in file: borrowing File
  ) throws(FileError) {
    if offset != start + count || count + bytes > Self.mostBytes || parts.count == Self.mostParts {
      try flush(to: file)
    }
    if parts.isEmpty { start = offset }
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    parts.append(bytes)
    count += bytes.count
  }

  mutating func flush(to file: borrowing File) throws(FileError) {
    if count > 0 { try file.write(parts, at: start) }
    parts.removeAll(keepingCapacity: true)
    (count, headersEnd) = (0, 0)
  }
}
