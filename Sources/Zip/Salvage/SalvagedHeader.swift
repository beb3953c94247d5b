import FileSystem
import SystemPackage

/// The fields of what may be a local header in a damaged file; none of them is trusted. APPNOTE 4.3.7.
struct SalvagedHeader {
  /// The offset of the header.
  let offset: Int
  let rawName: [UInt8]
  let flags: UInt16
  let method: UInt16
  let encryption: Entry.Encryption
  let crc32: UInt32
  let compressedSize: Int
  let size: Int
  let dosTime: UInt32
  let modified: Int64?
  let dataOffset: Int
  /// Nil if the bytes are not text.
  let name: String?
  /// False if the sizes are only in the descriptor after the data.
  let hasSizes: Bool

  /// Reads the header at an offset; returns nil if there is none. Long names and extra fields are charged, since the
  /// next header may begin in the middle of them.
  static func read(_ file: ArchiveFile, at offset: Int, _ probe: DataProbe) throws -> SalvagedHeader? {
    var buffer = RecordBuffer(capacity: RecordLength.localHeader + 2 * Int(UInt16.max))
    func fill(_ length: Int) throws(ArchiveError) {
      try ArchiveError.onFile { () throws(FileError) in try buffer.fill(length, from: file.file, at: offset) }
    }
    let fixed = RecordLength.localHeader
    try fill(fixed + 512)
    guard buffer.count >= fixed, buffer.bytes.u32(0) == Signature.localHeader,
      isPlausible(buffer.bytes)
    else { return nil }
    let nameLength = Int(buffer.bytes.u16(26))
    let length = fixed + nameLength + Int(buffer.bytes.u16(28))
    if length > buffer.count {
      guard probe.budget.pay(length, for: .verification) else { return nil }
      try probe.whileReading(length)
      try fill(length)
    }
    guard buffer.count >= length else { return nil }
    return SalvagedHeader(buffer.bytes, length: length, nameLength: nameLength, at: offset)
  }

  private init?(_ bytes: UnsafeRawBufferPointer, length: Int, nameLength: Int, at offset: Int) {
    let fixed = RecordLength.localHeader
    let raw = bytes.slice(fixed, nameLength)
    guard let fields = ExtraFields(bytes.slice(fixed + nameLength, length - fixed - nameLength)),
      let (encryption, method) = try? Entry.Encryption.of(
        flags: bytes.u16(6), method: bytes.u16(8), fields.aes)
    else { return nil }
    self.offset = offset
    rawName = Array(raw)
    flags = bytes.u16(6)
    self.encryption = encryption
    self.method = method
    crc32 = bytes.u32(14)
    var (compressedSize, size, none) = (Int(bytes.u32(18)), Int(bytes.u32(22)), 0)
    let isWide = fields.widen(size: &size, compressedSize: &compressedSize, offset: &none)
    self.compressedSize = compressedSize
    self.size = size
    dosTime = bytes.u32(10)
    modified = fields.modified
    dataOffset = offset + length
    name = NameDecoding.name(raw, isUTF8: flags & Flag.utf8 != 0, unicodePath: fields.unicodePath)
    let isUnknown =
      compressedSize == 0 || compressedSize == Int(UInt32.max) && fields.zip64 == nil || crc32 == 0
    hasSizes = isWide && (flags & Flag.descriptor == 0 || !isUnknown)
  }

  /// Returns true if bytes that begin with the signature can be the fixed part of a local header. Random bytes hardly
  /// ever can.
  static func isPlausible(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= RecordLength.localHeader else { return false }
    let nameLength = bytes.u16(26)
    return bytes.u16(4) & 0xFF <= 63 && isKnown(method: bytes.u16(8)) && nameLength > 0
      && nameLength <= 8192 && bytes.u16(6) & (Flag.patchedData | Flag.maskedHeaders) == 0
  }

  /// Returns true if APPNOTE 4.4.5 lists a method, supported or not.
  static func isKnown(method: UInt16) -> Bool { method <= 20 || (93...99).contains(method) }
}

extension SalvagedHeader {
  /// Returns true if a directory record describes the same data; the names may differ.
  func describesSameData(as record: SalvagedRecord) -> Bool {
    method == record.method && hasSizes && crc32 == record.crc32
      && compressedSize == record.compressedSize && size == record.size
  }

  /// Returns true if a directory record has the same name and method.
  func hasNameAndMethod(of record: SalvagedRecord) -> Bool {
    method == record.method && rawName == record.rawName
  }

  /// The end of the data, if the sizes are right.
  var dataEnd: Int {
    let (end, overflow) = dataOffset.addingReportingOverflow(compressedSize)
    return overflow ? .max : end
  }
}
