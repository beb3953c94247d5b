/// What stands after the directory: the end record, and where a number needs it the ZIP64 records before it. APPNOTE
/// 4.3.14 to 4.3.16.
struct ArchiveEnd {
  /// Entries in the directory.
  var count: Int
  /// Bytes of the directory.
  var size: Int
  /// Where the directory begins; the end begins where it ends.
  var offset: Int

  var bytes: [UInt8] {
    let isLarge = count >= 0xFFFF || size >= EntryRecord.limit || offset >= EntryRecord.limit
    return (isLarge ? zip64 : []) + plain
  }

  /// The ZIP64 end record and its locator.
  var zip64: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(Signature.zip64End)
    bytes.append(UInt64(RecordLength.zip64End - 12))
    bytes.append(UInt16(45))
    bytes.append(UInt16(45))
    // the numbers of two disks
    bytes.append(UInt64(0))
    for number in [count, count, size, offset] { bytes.append(UInt64(number)) }
    bytes.append(Signature.zip64Locator)
    bytes.append(UInt32(0))
    bytes.append(UInt64(offset + size))
    bytes.append(UInt32(1))
    return bytes
  }

  /// The end record, with the largest value for what is too large for it.
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
