import CLibZip
import FileSystem
import Operations
import SystemPackage

/// Reads the central directory into entries and checks everything that can be checked without the local
/// headers. APPNOTE 4.3.12.
struct DirectoryScan: ~Copyable {
  private(set) var entries: [Entry] = []
  /// Where in the directory each entry's name begins.
  private(set) var nameOffsets: [Int] = []
  private let path: FilePath
  private let end: DirectoryEnd
  private var buffer: RecordBuffer
  private var supportedMethods: Set<UInt16> = []

  private init(path: FilePath, end: DirectoryEnd) {
    self.path = path
    self.end = end
    buffer = RecordBuffer(capacity: end.size)
  }

  /// Reads the directory of a file of `fileSize` bytes. Memory is that of the directory and its entries.
  static func read(
    _ file: borrowing File, end: DirectoryEnd, fileSize: Int, limits: Limits
  ) throws(ArchiveError) -> DirectoryScan {
    guard end.entryCount <= limits.maximumEntries else {
      throw .tooManyEntries(file.path, count: end.entryCount, limit: limits.maximumEntries)
    }
    guard end.size <= limits.maximumDirectoryBytes else {
      throw .directoryTooLarge(file.path, bytes: end.size, limit: limits.maximumDirectoryBytes)
    }
    var scan = DirectoryScan(path: file.path, end: end)
    try ArchiveError.onFile { () throws(FileError) in
      try scan.buffer.fill(end.size, from: file, at: end.offset)
    }
    guard scan.buffer.count == end.size else { throw .changed(file.path) }
    try scan.readRecords()
    try scan.checkSums(fileSize: fileSize, limits: limits)
    try scan.checkNames()
    return scan
  }

  /// The bytes of an entry's name in the directory.
  func rawName(_ index: Int, length: Int) -> UnsafeRawBufferPointer {
    buffer.bytes.slice(nameOffsets[index], length)
  }

  /// The length of an entry's name in the directory, in bytes.
  func rawNameLength(_ index: Int) -> Int {
    Int(buffer.bytes.u16(nameOffsets[index] - RecordLength.directoryRecord + 28))
  }

  private mutating func readRecords() throws(ArchiveError) {
    entries.reserveCapacity(end.entryCount)
    nameOffsets.reserveCapacity(end.entryCount)
    var position = 0
    for index in 0..<end.entryCount {
      let record = RecordLength.directoryRecord
      guard position <= end.size - record else { throw lies(nil, .entryCount) }
      let bytes = buffer.bytes
      guard bytes.u32(position) == Signature.directoryRecord else { throw lies(nil, .signature) }
      let nameLength = Int(bytes.u16(position + 28))
      let extraLength = Int(bytes.u16(position + 30))
      let commentLength = Int(bytes.u16(position + 32))
      let length = record + nameLength + extraLength + commentLength
      guard position <= end.size - length else { throw lies(nil, .directorySize) }
      let name = bytes.slice(position + record, nameLength)
      let extra = bytes.slice(position + record + nameLength, extraLength)
      nameOffsets.append(position + record)
      entries.append(try entry(index, bytes.slice(position, record), name, extra))
      position += length
    }
    guard position == end.size else { throw lies(nil, .entryCount) }
  }

  private mutating func entry(
    _ index: Int, _ record: UnsafeRawBufferPointer, _ rawName: UnsafeRawBufferPointer,
    _ extra: UnsafeRawBufferPointer
  ) throws(ArchiveError) -> Entry {
    let flags = record.u16(8)
    guard let fields = ExtraFields(extra) else {
      throw lies(String(decoding: rawName, as: UTF8.self), .extraField)
    }
    guard
      let name = NameDecoding.name(
        rawName, isUTF8: flags & Flag.utf8 != 0, unicodePath: fields.unicodePath)
    else {
      throw .unsafeName(path, entry: String(decoding: rawName, as: UTF8.self), reason: .invalidUTF8)
    }
    if let fault = EntryName.fault(of: name) { throw .unsafeName(path, entry: name, reason: fault) }
    let isOtherName = !name.hasUTF8(rawName)
    if isOtherName, rawName.contains(0) { throw .unsafeName(path, entry: name, reason: .nul) }

    var compressedSize = Int(record.u32(20))
    var size = Int(record.u32(24))
    var offset = Int(record.u32(42))
    guard fields.widen(size: &size, compressedSize: &compressedSize, offset: &offset) else {
      throw lies(name, .extraField)
    }
    // 0xFFFF: in the ZIP64 field, where only 0 would be right; the end record has said that there is one disk
    guard record.u16(34) == 0 || record.u16(34) == UInt16.max else { throw .multiDisk(path) }
    let (encryption, method) = try encryption(flags: flags, method: record.u16(10), fields.aes, name)
    let entry = Entry(
      index: index, name: name, otherRawName: isOtherName ? Array(rawName) : nil,
      compressedSize: compressedSize, size: size, crc32: record.u32(16), method: method, flags: flags,
      encryption: encryption, headerOffset: offset, dataOffset: 0, modified: fields.modified,
      dosTime: record.u32(12), madeBy: UInt8(record.u16(4) >> 8), externalAttributes: record.u32(38))
    try checkKind(entry)
    try checkMethod(entry)
    return entry
  }

  private func encryption(
    flags: UInt16, method: UInt16, _ aes: UnsafeRawBufferPointer?, _ name: String
  ) throws(ArchiveError) -> (Entry.Encryption, UInt16) {
    do {
      return try Entry.Encryption.of(flags: flags, method: method, aes)
    } catch {
      switch error {
      case .unsupported: throw .unsupportedEncryption(path, entry: name)
      case .patch: throw lies(name, .flags)
      case .extraField: throw lies(name, .extraField)
      }
    }
  }

  /// Only files and folders.
  private func checkKind(_ entry: Entry) throws(ArchiveError) {
    if entry.isDirectory, entry.size != 0 { throw lies(entry.name, .size) }
    if let kind = entry.specialKind { throw .notARegularFile(path, entry: entry.name, kind: kind) }
  }

  /// The method is known, and the two sizes are possible under it.
  private mutating func checkMethod(_ entry: Entry) throws(ArchiveError) {
    if !supportedMethods.contains(entry.method) {
      guard entry.method == 0 || zip_compression_method_supported(zip_int32_t(entry.method), 0) == 1 else {
        throw .unsupportedMethod(path, entry: entry.name, method: entry.method)
      }
      supportedMethods.insert(entry.method)
    }
    let overhead = entry.encryptionOverhead
    guard entry.compressedSize >= overhead else { throw lies(entry.name, .compressedSize) }
    let compressedSize = entry.compressedSize - overhead
    switch entry.method {
    case 0:
      guard compressedSize == entry.size else { throw lies(entry.name, .size) }
    case 8:
      // deflate cannot do better than 1032 to 1 (258 bytes from two bits), and a block has its header
      guard entry.size / 1033 <= compressedSize else { throw lies(entry.name, .size) }
    default: break
    }
    if entry.size == 0, entry.crc32 != 0 { throw lies(entry.name, .crc32) }
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

  /// Swift's strings are equal when they are canonically equivalent, so this also finds names that differ
  /// only in how an accent is written. A folder and a file of one name clash too, and names that lead to one place.
  private func checkNames() throws(ArchiveError) {
    var names = Set<String>(minimumCapacity: entries.count)
    for entry in entries {
      var name = entry.isDirectory ? String(entry.name.dropLast()) : entry.name
      if name.hasPrefix("./") { name.removeFirst(2) }
      guard names.insert(name).inserted else { throw .duplicateName(path, entry: entry.name) }
    }
  }

  private func lies(_ entry: String?, _ field: HeaderField) -> ArchiveError {
    .inconsistentHeader(path, entry: entry, field: field)
  }
}

extension String {
  fileprivate func hasUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var copy = self
    return copy.withUTF8 { UnsafeRawBufferPointer($0).hasSameBytes(as: bytes) }
  }
}

extension Entry {
  /// What it is, if it is neither a file nor a folder. The whole mode counts where the entry was made by Unix or
  /// Darwin; some programs leave it out. Elsewhere these bits have no meaning, and yet there are programs that make
  /// links of them. Values of stat(2), inode(7).
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

  /// What encryption adds to the data, in bytes: the header of 12 of APPNOTE 6.1, or salt, check value (2)
  /// and authentication code (10) of WinZip's AES.
  var encryptionOverhead: Int {
    switch encryption {
    case .none: 0
    case .traditional: 12
    case .aes(let keyBits, _): keyBits / 16 + 12
    }
  }
}
