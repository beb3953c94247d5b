import FileSystem

/// The offset and the size of the directory, from the end record of the archive or its ZIP64 form. APPNOTE 4.3.14 to
/// 4.3.16.
struct DirectoryEnd: Equatable {
  var offset: Int
  var size: Int
  var entryCount: Int

  /// Finds the end record whose comment ends at the end of the file and whose directory ends where the end records
  /// begin. If there are two, programs differ in which one they use, so the archive is refused. Zeros that fill the
  /// last block of 10,240 bytes are accepted: bsdtar writes them into a pipe.
  static func find(in file: borrowing File, size: Int) throws(ArchiveError) -> DirectoryEnd {
    let path = file.path
    let length = min(size, RecordLength.end + RecordLength.maximumComment + RecordLength.zip64Locator)
    let buffer = try RecordBuffer(reading: length, of: file, at: size - length)
    guard buffer.count == length else { throw .changed(path) }

    var found: DirectoryEnd?
    var firstFault: ArchiveError?
    var isTruncated = false
    var trailing: Int?
    var searched = length - RecordLength.end + 1
    while let position = buffer.bytes.lastOffset(of: Signature.end, below: searched) {
      searched = position
      let end = position + RecordLength.end + Int(buffer.bytes.u16(position + 20))
      if end > length {
        isTruncated = true
        continue
      }
      let tail = Tail(bytes: buffer.bytes, start: size - length, position: position)
      let result = Result { () throws(ArchiveError) in try tail.directory(in: file) }
      if end < length, !isPadding(buffer.bytes[end...], endsAt: size) {
        if trailing == nil, case .success = result { trailing = length - end }
        continue
      }
      switch result {
      case .success(let end):
        if found != nil { throw .ambiguousEnd(path) }
        found = end
      case .failure(let fault):
        // the one nearest to the start is the most likely: the others are in its comment
        firstFault = fault
      }
    }
    if let found { return found }
    if let firstFault { throw firstFault }
    if let trailing { throw .trailingBytes(path, bytes: trailing) }
    if !isTruncated, try !Archive.isArchive(file) { throw .notAnArchive(path) }
    throw .truncated(path, isEncrypted: try Archive.beginsEncrypted(file))
  }

  /// Returns true if the last bytes of a file are the padding of a block that bsdtar writes.
  private static func isPadding(_ bytes: Slice<UnsafeRawBufferPointer>, endsAt size: Int) -> Bool {
    let block = 20 * 512
    return size.isMultiple(of: block) && bytes.count < block && bytes.allSatisfy { $0 == 0 }
  }
}

/// The last bytes of a file, which contain an end record.
private struct Tail {
  let bytes: UnsafeRawBufferPointer
  /// The offset of `bytes` in the file.
  let start: Int
  /// The offset of the end record in `bytes`.
  let position: Int

  /// Returns the directory that the record declares. Throws if it does not end where the end records begin.
  func directory(in file: borrowing File) throws(ArchiveError) -> DirectoryEnd {
    let path = file.path
    let locator = position - RecordLength.zip64Locator
    if locator >= 0, bytes.u32(locator) == Signature.zip64Locator {
      return try zip64Directory(in: file, locator: locator)
    }
    // this disk, and the one where the directory begins
    guard bytes.u16(position + 4) == 0, bytes.u16(position + 6) == 0 else { throw .multiDisk(path) }
    guard bytes.u16(position + 8) == bytes.u16(position + 10) else { throw wrong(.entryCount, file) }
    let end = DirectoryEnd(
      offset: Int(bytes.u32(position + 16)), size: Int(bytes.u32(position + 12)),
      entryCount: Int(bytes.u16(position + 10)))
    try check(end, endsAt: start + position, in: file)
    return end
  }

  private func zip64Directory(in file: borrowing File, locator: Int) throws(ArchiveError) -> DirectoryEnd {
    let path = file.path
    let invalid = wrong(.zip64End, file)
    guard bytes.u32(locator + 4) == 0, bytes.u32(locator + 16) <= 1 else { throw .multiDisk(path) }
    let limit = start + locator - RecordLength.zip64End
    guard let offset = Int(exactly: bytes.u64(locator + 8)), offset <= limit else { throw invalid }

    var buffer = try RecordBuffer(reading: RecordLength.zip64End, of: file, at: offset)
    guard buffer.count == RecordLength.zip64End else { throw invalid }
    let record = buffer.bytes
    guard record.u32(0) == Signature.zip64End else {
      // bytes before an archive shift all its offsets by their number
      try buffer.fill(RecordLength.zip64End, from: file, at: max(0, limit))
      guard buffer.count == RecordLength.zip64End, buffer.bytes.u32(0) == Signature.zip64End,
        buffer.bytes.u64(48) &+ buffer.bytes.u64(40) == UInt64(offset)
      else { throw invalid }
      throw .prefix(path, bytes: limit - offset)
    }
    // the length excludes its own field and the signature
    guard record.u64(4) == UInt64(start + locator - offset - 12) else { throw invalid }
    guard record.u32(16) == 0, record.u32(20) == 0 else { throw .multiDisk(path) }
    guard record.u64(24) == record.u64(32), let entryCount = Int(exactly: record.u64(32)) else {
      throw wrong(.entryCount, file)
    }
    guard let size = Int(exactly: record.u64(40)) else { throw wrong(.directorySize, file) }
    guard let directory = Int(exactly: record.u64(48)) else { throw wrong(.directoryOffset, file) }
    let end = DirectoryEnd(offset: directory, size: size, entryCount: entryCount)
    guard agreesWithShortRecord(end) else { throw invalid }
    try check(end, endsAt: offset, in: file)
    return end
  }

  /// Returns true if every field of the short record has the same value, or all bits set. Otherwise, a reader without
  /// ZIP64 would see another archive.
  private func agreesWithShortRecord(_ end: DirectoryEnd) -> Bool {
    func agrees(_ short: Int, _ all: Int, _ long: Int) -> Bool { short == all || short == long }
    let most16 = Int(UInt16.max)
    let most32 = Int(UInt32.max)
    return agrees(Int(bytes.u16(position + 4)), most16, 0)
      && agrees(Int(bytes.u16(position + 6)), most16, 0)
      && agrees(Int(bytes.u16(position + 8)), most16, end.entryCount)
      && agrees(Int(bytes.u16(position + 10)), most16, end.entryCount)
      && agrees(Int(bytes.u32(position + 12)), most32, end.size)
      && agrees(Int(bytes.u32(position + 16)), most32, end.offset)
  }

  private func check(
    _ end: DirectoryEnd, endsAt limit: Int, in file: borrowing File
  ) throws(ArchiveError) {
    guard end.size <= limit else { throw wrong(.directorySize, file) }
    let start = limit - end.size
    guard end.entryCount <= end.size / RecordLength.directoryRecord else { throw wrong(.entryCount, file) }
    if end.offset == start { return }
    guard end.offset < start, !(try Archive.isArchive(file)) || end.entryCount == 0 else {
      throw wrong(.directoryOffset, file)
    }
    let buffer = try RecordBuffer(reading: 4, of: file, at: start)
    guard end.entryCount == 0 || buffer.count == 4 && buffer.bytes.u32(0) == Signature.directoryRecord else {
      throw wrong(.directoryOffset, file)
    }
    throw .prefix(file.path, bytes: start - end.offset)
  }

  private func wrong(_ field: HeaderField, _ file: borrowing File) -> ArchiveError {
    .inconsistentHeader(file.path, entry: nil, field: field)
  }
}
