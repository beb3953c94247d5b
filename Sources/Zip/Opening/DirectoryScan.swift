import CLibZip
import FileSystem
import Operations
import SystemPackage

/// Parses the central directory, and validates it as far as that is possible without the local headers. APPNOTE 4.3.12.
struct DirectoryScan: ~Copyable {
  var entries: [Entry] = []
  /// The offset of each entry's name in the directory.
  private var nameOffsets: [Int] = []
  private let path: FilePath
  private let end: DirectoryEnd
  private let buffer: RecordBuffer

  private init(_ buffer: consuming RecordBuffer, path: FilePath, end: DirectoryEnd) {
    self.buffer = buffer
    self.path = path
    self.end = end
  }

  /// Reads the directory of a file of `fileSize` bytes into memory.
  static func read(
    _ file: borrowing File, end: DirectoryEnd, fileSize: Int, limits: Limits
  ) throws(ArchiveError) -> DirectoryScan {
    guard end.entryCount <= limits.maximumEntries else {
      throw .tooManyEntries(file.path, count: end.entryCount, limit: limits.maximumEntries)
    }
    guard end.size <= limits.maximumDirectoryBytes else {
      throw .directoryTooLarge(file.path, bytes: end.size, limit: limits.maximumDirectoryBytes)
    }
    let buffer = try RecordBuffer(reading: end.size, of: file, at: end.offset)
    guard buffer.count == end.size else { throw .changed(file.path) }
    var scan = DirectoryScan(buffer, path: file.path, end: end)
    try scan.readRecords()
    try scan.checkSums(fileSize: fileSize, limits: limits)
    try scan.checkNames()
    return scan
  }

  /// Returns the bytes of an entry's name in the directory.
  func rawName(_ index: Int) -> UnsafeRawBufferPointer {
    let offset = nameOffsets[index]
    return buffer.bytes.slice(offset, Int(buffer.bytes.u16(offset - RecordLength.directoryRecord + 28)))
  }

  private mutating func readRecords() throws(ArchiveError) {
    entries.reserveCapacity(end.entryCount)
    nameOffsets.reserveCapacity(end.entryCount)
    var position = 0
    for index in 0..<end.entryCount {
      let fixed = RecordLength.directoryRecord
      guard position <= end.size - fixed else { throw inconsistent(nil, .entryCount) }
      let bytes = buffer.bytes
      guard bytes.u32(position) == Signature.directoryRecord else { throw inconsistent(nil, .signature) }
      let record = DirectoryRecord(bytes.slice(position, fixed))
      guard position <= end.size - record.length else { throw inconsistent(nil, .directorySize) }
      entries.append(
        try entry(index, record, bytes.slice(position + fixed, record.fields.variableLength)))
      nameOffsets.append(position + fixed)
      position += record.length
    }
    guard position == end.size else { throw inconsistent(nil, .entryCount) }
  }

  /// - Parameter variable: the name and the extra fields.
  private func entry(
    _ index: Int, _ stated: DirectoryRecord, _ variable: UnsafeRawBufferPointer
  ) throws(ArchiveError) -> Entry {
    var record = stated
    let rawName = variable.slice(0, record.fields.nameLength)
    guard let extra = ExtraFields(variable.slice(rawName.count, record.fields.extraLength)) else {
      throw inconsistent(String(decoding: rawName, as: UTF8.self), .extraField)
    }
    guard let name = record.fields.name(rawName, extra) else {
      throw .unsafeName(path, entry: String(decoding: rawName, as: UTF8.self), reason: .invalidUTF8)
    }
    if let problem = EntryName.problem(of: name) {
      throw .unsafeName(path, entry: name, reason: problem)
    }
    // the name may be that of another field
    if rawName.contains(0) { throw .unsafeName(path, entry: name, reason: .nul) }
    guard record.widen(by: extra) else { throw inconsistent(name, .extraField) }
    guard record.isOnFirstDisk else { throw .multiDisk(path) }
    let entry = Entry(
      index: index, record.fields, name: name, rawName, try encryption(record.fields, extra, name),
      modified: extra.modified, headerOffset: record.headerOffset, madeBy: record.madeBy,
      externalAttributes: record.externalAttributes)
    if entry.isDirectory, entry.size != 0 { throw inconsistent(name, .size) }
    if let kind = entry.specialKind { throw .notARegularFile(path, entry: name, kind: kind) }
    guard entry.isReadable else { throw .unsupportedMethod(path, entry: name, method: entry.method) }
    if let field = entry.impossibleField { throw inconsistent(name, field) }
    return entry
  }

  private func encryption(
    _ fields: HeaderFields, _ extra: ExtraFields, _ name: String
  ) throws(ArchiveError) -> (Entry.Encryption, UInt16) {
    do {
      return try fields.encryption(extra)
    } catch {
      switch error {
      case .unsupported: throw .unsupportedEncryption(path, entry: name)
      case .patch: throw inconsistent(name, .flags)
      case .extraField: throw inconsistent(name, .extraField)
      }
    }
  }

  private func checkSums(fileSize: Int, limits: Limits) throws(ArchiveError) {
    var compressed = 0
    var expanded = 0
    for entry in entries {
      let (sum, overflow) = compressed.addingReportingOverflow(entry.compressedSize)
      guard !overflow, sum <= fileSize else { throw .compressedBytesExceedFile(path) }
      let (total, isTooMuch) = expanded.addingReportingOverflow(entry.size)
      guard !isTooMuch, total <= limits.maximumBytes else {
        throw .tooManyBytes(path, limit: limits.maximumBytes)
      }
      compressed = sum
      expanded = total
    }
  }

  /// Refuses entries of the same name. Swift compares strings by canonical equivalence, so names that differ only in
  /// the form of an accent are equal. So are a file and a folder of the same name, and names with and without `./`.
  private func checkNames() throws(ArchiveError) {
    var names = Set<String>(minimumCapacity: entries.count)
    for entry in entries {
      var name = entry.isDirectory ? String(entry.name.dropLast()) : entry.name
      if name.hasPrefix("./") { name.removeFirst(2) }
      guard names.insert(name).inserted else { throw .duplicateName(path, entry: entry.name) }
    }
  }

  private func inconsistent(_ entry: String?, _ field: HeaderField) -> ArchiveError {
    .inconsistentHeader(path, entry: entry, field: field)
  }
}

extension Entry {
  /// The kind of an entry that is neither a file nor a folder; nil for a file or folder. Values of stat(2), inode(7).
  ///
  /// The mode counts if the entry was made on Unix or Darwin; some programs omit it. For other systems the bits have no
  /// meaning, but some programs create links from them.
  var specialKind: SpecialFile? {
    let isUnix = madeBy == 3 || madeBy == 19
    switch externalAttributes >> 28 {
    case 0, 0o10: return nil
    case 0o4: return isDirectory || !isUnix ? nil : .directory
    case 0o12: return .symbolicLink
    case 0o2, 0o6: return .device
    case 0o1: return .pipe
    case 0o14: return .socket
    default: return isUnix ? .unknown : nil
    }
  }

  /// True if libzip can decompress it on this system.
  var isReadable: Bool {
    method == 0 || zip_compression_method_supported(zip_int32_t(method), 0) == 1
  }

  /// A field whose value is impossible, whatever the data is; nil if every value is possible.
  var impossibleField: HeaderField? {
    guard compressedSize >= encryptionOverhead else { return .compressedSize }
    let data = compressedSize - encryptionOverhead
    switch method {
    case 0 where data != size: return .size
    // deflate compresses at most 1032 to 1 (258 bytes in two bits), and a block has a header
    case 8 where size / 1033 > data: return .size
    // an empty entry is never read
    default: return size == 0 && crc32 != 0 ? .crc32 : nil
    }
  }

  /// The bytes that the encryption adds to the data: the 12 bytes of header of APPNOTE 6.1, or for WinZip's AES the
  /// salt, the check value (2 bytes) and the authentication code (10 bytes).
  var encryptionOverhead: Int {
    switch encryption {
    case .none: 0
    case .traditional: 12
    case .aes(let keyBits, _): keyBits / 16 + 12
    }
  }
}
