import FileSystem
import SystemPackage

/// Compares each local header with its directory record, and determines where the data begins. Refuses entries that
/// share bytes, and bytes between entries that belong to none. APPNOTE 4.3.7.
struct LocalHeaderScan: ~Copyable {
  private let path: FilePath
  private let directoryOffset: Int
  private var buffer = RecordBuffer(capacity: Self.capacity)
  private var start = 0

  /// The size of the buffer: enough for the longest header, and for many of usual length.
  private static let capacity = 192 << 10
  /// Headers within this distance are read together, since copying this many bytes takes as long as one more system
  /// call. Headers of photos are farther apart and read one by one.
  private static let nearby = 4 << 10

  init(path: FilePath, directoryOffset: Int) {
    self.path = path
    self.directoryOffset = directoryOffset
  }

  /// Checks the entries, and sets their data offsets.
  mutating func check(_ scan: inout DirectoryScan, in file: borrowing File) throws(ArchiveError) {
    let order = scan.entries.indicesByHeaderOffset()
    var previous: Int?
    var limit = try firstOffset(in: file)
    for (position, index) in order.enumerated() {
      let entry = scan.entries[index]
      guard entry.headerOffset >= limit else {
        guard let previous else { throw inconsistent(entry, .headerOffset) }
        throw .overlapping(path, scan.entries[previous].name, entry.name)
      }
      if previous == nil, entry.headerOffset > limit { throw .prefix(path, bytes: entry.headerOffset) }
      guard entry.headerOffset <= directoryOffset - RecordLength.localHeader else {
        throw inconsistent(entry, .headerOffset)
      }
      let following =
        position + 1 < order.count ? scan.entries[order[position + 1]].headerOffset : directoryOffset
      let isNear = following - entry.headerOffset < Self.nearby
      let (dataOffset, gap) = try compare(entry, scan.rawName(index), in: file, readingAhead: isNear)
      guard dataOffset <= directoryOffset - entry.compressedSize else {
        throw inconsistent(entry, .compressedSize)
      }
      scan.entries[index].dataOffset = dataOffset
      limit = dataOffset + entry.compressedSize
      // an implausible offset of the next entry is reported when that entry is checked
      let isPlausible =
        following == directoryOffset || following <= directoryOffset - RecordLength.localHeader
      if following >= limit, isPlausible {
        try check(gap, limit..<following, after: entry, in: file)
      }
      previous = index
    }
    if order.isEmpty, directoryOffset > limit { throw .prefix(path, bytes: directoryOffset) }
  }

  /// Returns the offset of the first entry: the start of the file, or the end of the signature of a split archive.
  private func firstOffset(in file: borrowing File) throws(ArchiveError) -> Int {
    let buffer = try RecordBuffer(reading: 4, of: file, at: 0)
    guard buffer.count == 4 else { return 0 }
    let mark = buffer.bytes.u32(0)
    return mark == Signature.descriptor || mark == Signature.temporarySpanning ? 4 : 0
  }

  private mutating func compare(
    _ entry: Entry, _ name: UnsafeRawBufferPointer, in file: borrowing File, readingAhead: Bool
  ) throws(ArchiveError) -> (dataOffset: Int, EntryGap) {
    let fixed = RecordLength.localHeader
    let ahead = readingAhead ? Self.capacity : 64
    try need(fixed + name.count, at: entry.headerOffset, in: file, ahead: ahead, for: entry)
    let record = buffer.bytes.slice(entry.headerOffset - start, fixed + name.count)
    guard record.u32(0) == Signature.localHeader else { throw inconsistent(entry, .signature) }
    let fields = HeaderFields(localHeader: record)
    guard fields.nameLength == name.count, record.slice(fixed, name.count).hasSameBytes(as: name) else {
      throw inconsistent(entry, .name)
    }
    let length = fixed + fields.variableLength
    try need(length, at: entry.headerOffset, in: file, ahead: ahead, for: entry)
    let end = entry.headerOffset - start + length
    guard let extra = ExtraFields(buffer.bytes.slice(end - fields.extraLength, fields.extraLength)) else {
      throw inconsistent(entry, .extraField)
    }
    return (entry.headerOffset + length, try compare(entry, fields, extra))
  }

  private func compare(
    _ entry: Entry, _ fields: HeaderFields, _ extra: ExtraFields
  ) throws(ArchiveError) -> EntryGap {
    let important = Flag.encrypted | Flag.strongEncryption | Flag.maskedHeaders | Flag.patchedData
    guard fields.flags & important == entry.flags & important else { throw inconsistent(entry, .flags) }
    guard fields.method == entry.headerMethod else { throw inconsistent(entry, .method) }
    var (compressedSize, size, offset) = (fields.compressedSize, fields.size, 0)
    let crc32 = fields.crc32
    let isWide = extra.widen(size: &size, compressedSize: &compressedSize, offset: &offset)
    let isDeclared = fields.flags & Flag.descriptor != 0
    guard isWide || isDeclared else { throw inconsistent(entry, .extraField) }
    // before a descriptor, the header has zeros, all bits set for ZIP64, or the values of the descriptor
    let blank = isDeclared ? [0, ExtraFields.zip64Limit] : []
    // Info-ZIP stores the time here, from which it derives the check value of the password
    let isTime = entry.encryption == .traditional && crc32 == entry.dosTime << 16
    guard crc32 == entry.crc32 || isDeclared && (crc32 == 0 || isTime) else {
      throw inconsistent(entry, .crc32)
    }
    guard compressedSize == entry.compressedSize || blank.contains(compressedSize) else {
      throw inconsistent(entry, .compressedSize)
    }
    guard size == entry.size || blank.contains(size) else { throw inconsistent(entry, .size) }
    let isComplete =
      crc32 == entry.crc32 && compressedSize == entry.compressedSize && size == entry.size
    return EntryGap(isDeclared: isDeclared, isNeeded: !isComplete)
  }

  /// Checks the bytes between an entry's data and the next record.
  private mutating func check(
    _ gap: EntryGap, _ range: Range<Int>, after entry: Entry, in file: borrowing File
  ) throws(ArchiveError) {
    if range.isEmpty, !gap.isNeeded { return }
    guard range.count <= EntryGap.maximumGap else {
      throw .unaccountedBytes(path, after: entry.name, bytes: range.count)
    }
    // the next header follows, and is read too
    if !range.isEmpty { try need(range.count, at: range.lowerBound, in: file, ahead: 512, for: entry) }
    let bytes =
      range.isEmpty
      ? UnsafeRawBufferPointer(start: nil, count: 0)
      : buffer.bytes.slice(range.lowerBound - start, range.count)
    guard gap.fits(bytes, after: entry) else {
      throw gap.isDeclared
        ? inconsistent(entry, .descriptor) : .unaccountedBytes(path, after: entry.name, bytes: range.count)
    }
  }

  /// Loads `length` bytes from `offset` on into the buffer. If it must read them, it reads `ahead` more.
  private mutating func need(
    _ length: Int, at offset: Int, in file: borrowing File, ahead: Int, for entry: Entry
  ) throws(ArchiveError) {
    guard length <= directoryOffset - offset else { throw inconsistent(entry, .headerOffset) }
    if offset >= start, offset + length <= start + buffer.count { return }
    let count = max(length, min(length + ahead, Self.capacity))
    start = offset
    try buffer.fill(count, from: file, at: offset)
    guard buffer.count >= length else { throw .changed(path) }
  }

  private func inconsistent(_ entry: Entry, _ field: HeaderField) -> ArchiveError {
    .inconsistentHeader(path, entry: entry.name, field: field)
  }
}

extension Entry {
  /// The method in the headers: 99 means AES. APPNOTE 4.4.5.
  fileprivate var headerMethod: UInt16 {
    if case .aes = encryption { 99 } else { method }
  }
}

extension [Entry] {
  /// Returns the indices in the order of the local headers. Nearly every directory has this order already.
  fileprivate func indicesByHeaderOffset() -> [Int] {
    let isSorted = zip(self, dropFirst()).allSatisfy { $0.headerOffset <= $1.headerOffset }
    return isSorted ? Array<Int>(indices) : indices.sorted { self[$0].headerOffset < self[$1].headerOffset }
  }
}
