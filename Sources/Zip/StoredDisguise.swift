import CLibZip

/// How libzip is kept from computing the checksums of stored entries, which it does with a CRC-32 several times slower
/// than `CRC32` and in a copy of the data of its own: a source whose bytes are deflated already is asked for its
/// checksum instead. So placed entries pass for deflated ones, and as their headers go by, the method and the version
/// that a reader needs become those of stored ones again.
struct StoredDisguise {
  /// For each entry, in the archive's order, whether it is disguised.
  private var isDisguised: [Bool] = []
  /// The entry of the local header that comes next.
  private var local = 0
  /// The entry of the directory's record that comes next.
  private var directory = 0

  /// What libzip is told an entry's method is.
  static let method = CInt(ZIP_CM_DEFLATE)

  /// Says what libzip asks of deflated data; before the data have passed, the checksum is not looked at.
  static func put(on stat: UnsafeMutablePointer<zip_stat_t>, crc: UInt32) {
    stat.pointee.comp_method = UInt16(method)
    stat.pointee.crc = crc
    stat.pointee.valid |= UInt64(ZIP_STAT_COMP_METHOD | ZIP_STAT_CRC)
  }

  /// An entry has been added.
  mutating func add(_ isDisguised: Bool) { self.isDisguised.append(isDisguised) }

  /// libzip has come to an entry, whose local header it writes twice: now, and when it is done.
  mutating func begin(_ entry: Int) { local = entry }

  /// The header as it should be; nil if it is that. Local headers come as writes of 30 bytes (APPNOTE.TXT, 4.3.7),
  /// those of the directory as writes of 46 (4.3.12), the names apart; a name cannot be taken for either, since these
  /// hold zero bytes.
  mutating func takenOff(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    switch (bytes.count, bytes.count >= 30 ? bytes.u32(0) : 0) {
    case (RecordLength.localHeader, Signature.localHeader):
      return isDisguised[local] ? Self.stored(bytes, versionAt: 4, methodAt: 8) : nil
    case (RecordLength.directoryRecord, Signature.directoryRecord):
      defer { directory += 1 }
      return isDisguised[directory] ? Self.stored(bytes, versionAt: 6, methodAt: 10) : nil
    default:
      return nil
    }
  }

  private static func stored(_ bytes: UnsafeRawBufferPointer, versionAt version: Int, methodAt method: Int)
    -> [UInt8]
  {
    var header = Array(bytes)
    header[method] = UInt8(ZIP_CM_STORE)
    // 2.0 is for deflated entries; ZIP64 needs 4.5, which stays
    if header[version] == 20 { header[version] = 10 }
    return header
  }
}
