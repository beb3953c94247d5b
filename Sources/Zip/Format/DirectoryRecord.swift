/// A directory record as it is in the file, without its name, extra fields and comment. APPNOTE 4.3.12.
struct DirectoryRecord {
  var fields: HeaderFields
  /// The system that made the entry.
  let madeBy: UInt8
  let commentLength: Int
  /// The disk of the local header.
  let disk: UInt16
  let externalAttributes: UInt32
  /// The offset of the local header.
  var headerOffset: Int

  /// - Parameter bytes: at least `RecordLength.directoryRecord`.
  init(_ bytes: UnsafeRawBufferPointer) {
    fields = HeaderFields(bytes, at: 6)
    madeBy = UInt8(bytes.u16(4) >> 8)
    commentLength = Int(bytes.u16(32))
    disk = bytes.u16(34)
    externalAttributes = bytes.u32(38)
    headerOffset = Int(bytes.u32(42))
  }

  /// The length with name, extra fields and comment.
  var length: Int { RecordLength.directoryRecord + fields.variableLength + commentLength }

  /// True if the local header is in the same file. 0xFFFF refers to the ZIP64 field, which could only contain 0: the end
  /// record declares a single disk.
  var isOnFirstDisk: Bool { disk == 0 || disk == UInt16.max }

  /// Replaces each number of 0xFFFFFFFF by its value in the ZIP64 field. Returns false if a value is missing.
  mutating func widen(by extra: ExtraFields) -> Bool {
    extra.widen(size: &fields.size, compressedSize: &fields.compressedSize, offset: &headerOffset)
  }
}
