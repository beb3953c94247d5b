import FileSystem

/// The fields of what may be a directory record in a damaged file. APPNOTE 4.3.12.
struct SalvagedRecord {
  /// The offset of the record, and its end.
  let position: Int
  let end: Int
  let rawName: [UInt8]
  let name: String?
  let flags: UInt16
  let method: UInt16
  let encryption: Entry.Encryption
  let crc32: UInt32
  let compressedSize: Int
  let size: Int
  let dosTime: UInt32
  let modified: Int64?
  let madeBy: UInt8
  let externalAttributes: UInt32
  let headerOffset: Int
  /// The length of its extra fields. Those of the local header often have the same length.
  let extraLength: Int

  /// Returns how many bytes of name and extra fields follow the fixed part of a record that may begin with `bytes`; nil
  /// if it cannot be a record. Random bytes with its signature hardly ever can.
  static func variableLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= RecordLength.directoryRecord, SalvagedHeader.isKnown(method: bytes.u16(10)),
      bytes.u16(28) > 0, bytes.u16(28) <= 8192, bytes.u16(6) & 0xFF <= 63,
      bytes.u16(34) == 0 || bytes.u16(34) == UInt16.max
    else { return nil }
    return Int(bytes.u16(28)) + Int(bytes.u16(30))
  }

  /// Reads a record that begins with `bytes`, and from the file what they do not contain of it. Returns nil if it
  /// cannot be a record.
  init?(_ bytes: UnsafeRawBufferPointer, at position: Int, in file: ArchiveFile) throws {
    let fixed = RecordLength.directoryRecord
    guard let length = Self.variableLength(bytes) else { return nil }
    if bytes.count >= fixed + length {
      self.init(bytes, bytes.slice(fixed, length), at: position)
      return
    }
    var buffer = RecordBuffer(capacity: length)
    try ArchiveError.onFile { () throws(FileError) in
      try buffer.fill(length, from: file.file, at: position + fixed)
    }
    guard buffer.count == length else { return nil }
    self.init(bytes, buffer.bytes, at: position)
  }

  /// - Parameter variable: the name and the extra fields.
  private init?(_ bytes: UnsafeRawBufferPointer, _ variable: UnsafeRawBufferPointer, at position: Int) {
    let nameLength = Int(bytes.u16(28))
    let raw = variable.slice(0, nameLength)
    var (size, compressedSize, offset) = (Int(bytes.u32(24)), Int(bytes.u32(20)), Int(bytes.u32(42)))
    guard let fields = ExtraFields(variable.slice(nameLength, variable.count - nameLength)),
      fields.widen(size: &size, compressedSize: &compressedSize, offset: &offset),
      let (encryption, method) = try? Entry.Encryption.of(
        flags: bytes.u16(8), method: bytes.u16(10), fields.aes)
    else { return nil }
    self.position = position
    end = position + RecordLength.directoryRecord + variable.count + Int(bytes.u16(32))
    rawName = Array(raw)
    flags = bytes.u16(8)
    name = NameDecoding.name(raw, isUTF8: flags & Flag.utf8 != 0, unicodePath: fields.unicodePath)
    self.method = method
    self.encryption = encryption
    crc32 = bytes.u32(16)
    self.compressedSize = compressedSize
    self.size = size
    dosTime = bytes.u32(12)
    modified = fields.modified
    madeBy = UInt8(bytes.u16(4) >> 8)
    externalAttributes = bytes.u32(38)
    headerOffset = offset
    extraLength = Int(bytes.u16(30))
  }
}
