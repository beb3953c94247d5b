/// The record after data whose local header has no sizes. Programs write four forms: with and without a signature, and
/// with sizes of four or eight bytes. APPNOTE 4.3.9.
struct DataDescriptor: Equatable {
  /// The whole record, in bytes.
  let length: Int
  let crc32: UInt32
  let compressedSize: Int
  let size: Int

  /// True if it begins with the signature. The lengths of the four forms are different.
  var hasSignature: Bool { length == 16 || length == 24 }

  /// The longest form.
  static let maximumLength = 24
  /// The lengths with and without a signature, and with sizes of 4 and of 8 bytes.
  static let lengths = [16, 24, 12, 20]

  /// Returns the descriptor with these values at the start of the bytes; nil if there is none.
  static func find(
    _ bytes: UnsafeRawBufferPointer, crc32: UInt32, compressedSize: Int, size: Int
  ) -> DataDescriptor? {
    all(in: bytes).first { $0.crc32 == crc32 && $0.compressedSize == compressedSize && $0.size == size }
  }

  /// Returns every reading of the start of the bytes as a descriptor.
  static func all(in bytes: UnsafeRawBufferPointer) -> [DataDescriptor] {
    let hasSignature = bytes.count >= 4 && bytes.u32(0) == Signature.descriptor
    var found: [DataDescriptor] = []
    for (start, isWide) in [(4, false), (4, true), (0, false), (0, true)] where hasSignature || start == 0 {
      let length = start + (isWide ? 20 : 12)
      guard bytes.count >= length else { continue }
      let crc32 = bytes.u32(start)
      if isWide {
        guard let compressedSize = Int(exactly: bytes.u64(start + 4)),
          let size = Int(exactly: bytes.u64(start + 12))
        else { continue }
        found.append(DataDescriptor(length: length, crc32: crc32, compressedSize: compressedSize, size: size))
      } else {
        found.append(
          DataDescriptor(
            length: length, crc32: crc32, compressedSize: Int(bytes.u32(start + 4)),
            size: Int(bytes.u32(start + 8))))
      }
    }
    return found
  }
}
