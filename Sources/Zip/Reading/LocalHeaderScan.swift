import FileSystem
import SystemPackage

/// Compares each local header with its directory record, finds where the data begins, and sees that no two
/// entries share bytes and that no byte between them is unaccounted for. APPNOTE 4.3.7.
struct LocalHeaderScan: ~Copyable {
  private let path: FilePath
  private let directoryOffset: Int
  private var buffer = RecordBuffer(capacity: Self.capacity)
  private var start = 0

  /// Room for the longest header, and for many of usual length.
  private static let capacity = 192 << 10
  /// Headers that are this near to each other are read together, since copying so many bytes takes as long as
  /// one more system call; between photos they are read one by one.
  private static let nearby = 4 << 10

  init(path: FilePath, directoryOffset: Int) {
    self.path = path
    self.directoryOffset = directoryOffset
  }

  /// The entries with their data offsets, in the order of the directory.
  mutating func check(
    _ scan: borrowing DirectoryScan, in file: borrowing File
  ) throws(ArchiveError) -> [Entry] {
    var entries = scan.entries
    let order = entries.indicesByHeaderOffset()
    var previous: Int?
    var limit = try firstOffset(in: file)
    for (position, index) in order.enumerated() {
      let entry = entries[index]
      guard entry.headerOffset >= limit else {
        guard let previous else { throw lies(entry, .headerOffset) }
        throw .overlapping(path, entries[previous].name, entry.name)
      }
      if previous == nil, entry.headerOffset > limit { throw .prefix(path, bytes: entry.headerOffset) }
      guard entry.headerOffset <= directoryOffset - RecordLength.localHeader else {
        throw lies(entry, .headerOffset)
      }
      let following = position + 1 < order.count ? entries[order[position + 1]].headerOffset : directoryOffset
      let isNear = following - entry.headerOffset < Self.nearby
      let name = scan.rawName(index, length: scan.rawNameLength(index))
      let (dataOffset, gap) = try compare(entry, name, in: file, readingAhead: isNear)
      guard dataOffset <= directoryOffset - entry.compressedSize else { throw lies(entry, .compressedSize) }
      entries[index].dataOffset = dataOffset
      limit = dataOffset + entry.compressedSize
      // a next one where none can be is told in its turn
      let isPlausible =
        following == directoryOffset || following <= directoryOffset - RecordLength.localHeader
      if following >= limit, isPlausible {
        try check(gap, limit..<following, after: entry, in: file)
      }
      previous = index
    }
    if entries.isEmpty, directoryOffset > limit { throw .prefix(path, bytes: directoryOffset) }
    return entries
  }

  /// Where the first entry has to be: at the start, or after the mark of an archive that was to be split.
  private func firstOffset(in file: borrowing File) throws(ArchiveError) -> Int {
    var buffer = RecordBuffer(capacity: 4)
    try ArchiveError.onFile { () throws(FileError) in try buffer.fill(4, from: file, at: 0) }
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
    var record = buffer.bytes.slice(entry.headerOffset - start, fixed + name.count)
    guard record.u32(0) == Signature.localHeader else { throw lies(entry, .signature) }
    guard Int(record.u16(26)) == name.count,
      record.slice(fixed, name.count).hasSameBytes(as: name)
    else { throw lies(entry, .name) }
    let extraLength = Int(record.u16(28))
    let length = fixed + name.count + extraLength
    try need(length, at: entry.headerOffset, in: file, ahead: ahead, for: entry)
    record = buffer.bytes.slice(entry.headerOffset - start, length)
    guard let fields = ExtraFields(record.slice(length - extraLength, extraLength)) else {
      throw lies(entry, .extraField)
    }
    return (entry.headerOffset + length, try compare(entry, record, fields))
  }

  private func compare(
    _ entry: Entry, _ record: UnsafeRawBufferPointer, _ fields: ExtraFields
  ) throws(ArchiveError) -> EntryGap {
    let flags = record.u16(6)
    let important = Flag.encrypted | Flag.strongEncryption | Flag.maskedHeaders | Flag.patchedData
    guard flags & important == entry.flags & important else { throw lies(entry, .flags) }
    guard record.u16(8) == entry.headerMethod else { throw lies(entry, .method) }
    var compressedSize = Int(record.u32(18))
    var size = Int(record.u32(22))
    let crc32 = record.u32(14)
    var offset = 0
    let isWide = fields.widen(size: &size, compressedSize: &compressedSize, offset: &offset)
    if flags & Flag.descriptor != 0 {
      // the true values follow the data; here are zeros, or all bits set under ZIP64, or the values already
      let blank = [0, Int(UInt32.max)]
      // Info-ZIP leaves the time there from which it makes the check value of a password
      let isTime = entry.encryption == .traditional && crc32 == entry.dosTime << 16
      guard crc32 == 0 || crc32 == entry.crc32 || isTime else { throw lies(entry, .crc32) }
      guard blank.contains(compressedSize) || compressedSize == entry.compressedSize else {
        throw lies(entry, .compressedSize)
      }
      guard blank.contains(size) || size == entry.size else { throw lies(entry, .size) }
      let isTold =
        crc32 == entry.crc32 && compressedSize == entry.compressedSize && size == entry.size
      return EntryGap(isPromised: true, isNeeded: !isTold)
    } else {
      guard isWide else { throw lies(entry, .extraField) }
      guard crc32 == entry.crc32 else { throw lies(entry, .crc32) }
      guard compressedSize == entry.compressedSize else { throw lies(entry, .compressedSize) }
      guard size == entry.size else { throw lies(entry, .size) }
      return EntryGap(isPromised: false, isNeeded: false)
    }
  }

  /// Looks at what stands between an entry's data and the next record.
  private mutating func check(
    _ gap: EntryGap, _ range: Range<Int>, after entry: Entry, in file: borrowing File
  ) throws(ArchiveError) {
    if range.isEmpty, !gap.isNeeded { return }
    guard range.count <= EntryGap.maximumGap else {
      throw .unaccountedBytes(path, after: entry.name, bytes: range.count)
    }
    // the next header follows, and comes along
    if !range.isEmpty { try need(range.count, at: range.lowerBound, in: file, ahead: 512, for: entry) }
    let bytes =
      range.isEmpty
      ? UnsafeRawBufferPointer(start: nil, count: 0)
      : buffer.bytes.slice(range.lowerBound - start, range.count)
    guard gap.fits(bytes, after: entry) else {
      throw gap.isPromised
        ? lies(entry, .descriptor) : .unaccountedBytes(path, after: entry.name, bytes: range.count)
    }
  }

  /// Sees that `length` bytes from `offset` on are in the buffer; if they have to be read, so are `ahead` more.
  private mutating func need(
    _ length: Int, at offset: Int, in file: borrowing File, ahead: Int, for entry: Entry
  ) throws(ArchiveError) {
    guard length <= directoryOffset - offset else { throw lies(entry, .headerOffset) }
    if offset >= start, offset + length <= start + buffer.count { return }
    let count = max(length, min(length + ahead, Self.capacity))
    start = offset
    try ArchiveError.onFile { () throws(FileError) in
      try buffer.fill(count, from: file, at: offset)
    }
    guard buffer.count >= length else { throw .changed(path) }
  }

  private func lies(_ entry: Entry, _ field: HeaderField) -> ArchiveError {
    .inconsistentHeader(path, entry: entry.name, field: field)
  }
}

extension Entry {
  /// The method as the headers have it: 99 stands for AES. APPNOTE 4.4.5.
  fileprivate var headerMethod: UInt16 {
    if case .aes = encryption { 99 } else { method }
  }
}

extension [Entry] {
  /// The indices in the order of the local headers, which nearly every archive has already.
  fileprivate func indicesByHeaderOffset() -> [Int] {
    let isSorted = zip(self, dropFirst()).allSatisfy { $0.headerOffset <= $1.headerOffset }
    return isSorted ? Array<Int>(indices) : indices.sorted { self[$0].headerOffset < self[$1].headerOffset }
  }
}
