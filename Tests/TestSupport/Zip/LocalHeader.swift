/// The header before an entry's data, which a program sees that reads an archive forward. APPNOTE 4.3.7
package struct LocalHeader: Sendable {
  /// The length of a header without name and extra fields.
  private static let length = 30

  package let flags, method, time, date: UInt16
  package let crc32, compressedSize, size: UInt32
  package let name: String
  package let extraLength: Int
  /// The data, whose length is the compressed size.
  package let data: Range<Int>

  /// The header at a position of an archive; nil if other bytes are there.
  package init?(in bytes: [UInt8], at position: Int) {
    guard position >= 0, position + Self.length <= bytes.count else { return nil }
    func number<Number: FixedWidthInteger>(_ offset: Int) -> Number {
      bytes.withUnsafeBytes {
        Number(littleEndian: $0.loadUnaligned(fromByteOffset: position + offset, as: Number.self))
      }
    }
    guard number(0) == 0x0403_4B50 as UInt32 else { return nil }
    (flags, method, time, date) = (number(6), number(8), number(10), number(12))
    (crc32, compressedSize, size) = (number(14), number(18), number(22))
    let nameLength = Int(number(26) as UInt16)
    extraLength = Int(number(28) as UInt16)
    let start = position + Self.length + nameLength + extraLength
    guard start + Int(compressedSize) <= bytes.count else { return nil }
    data = start..<start + Int(compressedSize)
    name = String(decoding: bytes[(position + Self.length)...].prefix(nameLength), as: UTF8.self)
  }

  /// The headers of the entries that follow each other from the start of an archive.
  package static func all(in bytes: [UInt8]) -> [LocalHeader] {
    var headers: [LocalHeader] = []
    while let header = LocalHeader(in: bytes, at: headers.last?.data.upperBound ?? 0) {
      headers.append(header)
    }
    return headers
  }
}
