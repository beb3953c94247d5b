import CDeflate

/// Computes the checksum of ZIP incrementally: APPNOTE 4.4.7, polynomial 0xEDB88320. Uses libdeflate, which uses
/// carry-less multiplication if the processor supports it.
package struct CRC32: Sendable {
  /// The checksum of all bytes so far.
  package private(set) var value: UInt32 = 0

  /// Starts with no bytes.
  package init() {}

  /// Continues after bytes with this checksum.
  package init(_ value: UInt32) { self.value = value }

  /// Adds the next bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    value = libdeflate_crc32(value, start, bytes.count)
  }

  /// Returns the checksum of `bytes`.
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var checksum = CRC32()
    Array(bytes).withUnsafeBytes { checksum.update($0) }
    return checksum.value
  }
}
