/// The records after the directory: the end record, preceded by the ZIP64 records if a number needs them. APPNOTE
/// 4.3.14 to 4.3.16.
struct ArchiveEnd {
  /// Entries in the directory.
  var count: Int
  /// Bytes of the directory.
  var size: Int
  /// The offset of the directory. The end records follow the directory.
  var offset: Int

  var bytes: [UInt8] {
    let isLarge = count >= 0xFFFF || max(size, offset) >= ExtraFields.zip64Limit
    return (isLarge ? zip64 : []) + plain
  }

  /// The ZIP64 end record and its locator.
  var zip64: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(Signature.zip64End)
    bytes.append(UInt64(RecordLength.zip64End - 12))
    bytes.append(UInt16(45))
    bytes.append(UInt16(45))
    // two disk numbers
    bytes.append(UInt64(0))
    for number in [count, count, size, offset] { bytes.append(UInt64(number)) }
    bytes.append(Signature.zip64Locator)
    bytes.append(UInt32(0))
    bytes.append(UInt64(offset + size))
    bytes.append(UInt32(1))
    return bytes
  }

  /// The end record, with the greatest value in each field whose number is too large.
  var plain: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(Signature.end)
    bytes.append(UInt32(0))
    bytes.append(UInt16(clamping: count))
    bytes.append(UInt16(clamping: count))
    bytes.append(UInt32(clamping: size))
    bytes.append(UInt32(clamping: offset))
    bytes.append(UInt16(0))
    return bytes
  }
}
