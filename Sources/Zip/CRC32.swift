/// The checksum of ZIP, for names and test archives; the data of entries is checked by libzip.
/// APPNOTE 4.4.7, polynomial 0xEDB88320.
package enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
    }
  }

  /// The checksum of all `bytes`.
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { value, byte in
      table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8
    }
  }
}
