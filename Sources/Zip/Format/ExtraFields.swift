import Operations

/// The extra fields of a header that reading needs. APPNOTE 4.5; 0x5455 and 0x7075 by Info-ZIP, 0x9901 by WinZip.
struct ExtraFields {
  /// The value of a four-byte field that refers to the ZIP64 field. A number of this value needs ZIP64 too.
  static let zip64Limit = 0xFFFF_FFFF

  private(set) var zip64: UnsafeRawBufferPointer?
  private(set) var ntfsTimes: UnsafeRawBufferPointer?
  private(set) var unixTimes: UnsafeRawBufferPointer?
  private(set) var unicodePath: UnsafeRawBufferPointer?
  private(set) var aes: UnsafeRawBufferPointer?

  /// Parses the block. Returns nil if its lengths are inconsistent, or if a field that decides how the data is read
  /// occurs twice. Accepts up to three zero bytes at the end: zipalign pads with them.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    while position <= bytes.count - 4 {
      let length = Int(bytes.u16(position + 2))
      guard position + 4 <= bytes.count - length else { return nil }
      let field = bytes.slice(position + 4, length)
      switch bytes.u16(position) {
      case 0x0001:
        if zip64 != nil { return nil }
        zip64 = field
      case 0x9901:
        if aes != nil { return nil }
        aes = field
      case 0x000A: ntfsTimes = field
      case 0x5455: unixTimes = field
      case 0x7075:
        if unicodePath != nil { return nil }
        unicodePath = field
      default: break
      }
      position += 4 + length
    }
    guard bytes[position...].allSatisfy({ $0 == 0 }) else { return nil }
  }

  /// The modification time; nil if no field has it.
  var modified: Timestamp? {
    if let unixTimes, unixTimes.count >= 5, unixTimes[0] & 1 == 1 {
      return Timestamp(rawValue: Int64(Int32(bitPattern: unixTimes.u32(1))) * 1000)
    }
    // 4 bytes reserved, then tag 1 of 24 bytes; 100 ns since 1601. APPNOTE 4.5.5
    if let ntfsTimes, ntfsTimes.count >= 32, ntfsTimes.u16(4) == 1, ntfsTimes.u16(6) == 24 {
      return Timestamp(rawValue: Int64(ntfsTimes.u64(8) / 10_000) - 11_644_473_600_000)
    }
    return nil
  }

  /// Replaces each number of 0xFFFFFFFF by its value in the ZIP64 field, in the order of APPNOTE 4.5.3. Returns false
  /// if a value is missing or exceeds the range of an `Int`.
  func widen(size: inout Int, compressedSize: inout Int, offset: inout Int) -> Bool {
    // without the field, 0xFFFFFFFF is an ordinary value
    guard let zip64 else { return true }
    var position = 0
    func next(_ value: inout Int) -> Bool {
      guard value == Self.zip64Limit else { return true }
      guard position <= zip64.count - 8, let wide = Int(exactly: zip64.u64(position)) else { return false }
      position += 8
      value = wide
      return true
    }
    return next(&size) && next(&compressedSize) && next(&offset)
  }
}
