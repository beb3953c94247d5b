import CDeflate

/// The checksum of ZIP, of bytes that come in pieces: APPNOTE 4.4.7, polynomial 0xEDB88320. By libdeflate, which
/// multiplies without carry where the processor can.
package struct CRC32: Sendable {
  /// The checksum of all bytes so far.
  package private(set) var value: UInt32 = 0

  /// Of nothing yet.
  package init() {}

  /// Takes the next bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    value = libdeflate_crc32(value, start, bytes.count)
  }

  /// The checksum of all `bytes`.
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var checksum = CRC32()
    Array(bytes).withUnsafeBytes { checksum.update($0) }
    return checksum.value
  }
}
