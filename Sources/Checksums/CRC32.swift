import CCRC32
import CDeflate

/// Computes the checksum of ZIP incrementally: APPNOTE 4.4.7, polynomial 0xEDB88320. Uses libdeflate, and on processors
/// with AVX-512 `CCRC32`, which is three times as fast.
package struct CRC32: Sendable {
  /// The checksum of all bytes so far.
  package private(set) var value: UInt32 = 0

  /// Starts with no bytes.
  package init() {}

  /// Continues after bytes with this checksum.
  package init(_ value: UInt32) { self.value = value }

  /// Adds the next bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[fold(bytes)...])
    guard let start = rest.baseAddress else { return }
    value = libdeflate_crc32(value, start, rest.count)
  }

  private static let canFold = smilepile_crc32_can_fold()

  /// Adds bytes at the start, and returns their number; 0 if the processor lacks the instructions.
  private mutating func fold(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard Self.canFold, bytes.count >= SMILEPILE_CRC32_LEAST, let start = bytes.baseAddress else { return 0 }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(SMILEPILE_CRC32_REMAINDER)) {
      remainder in
      guard let remainderStart = remainder.baseAddress else { return 0 }
      let folded = smilepile_crc32_fold(
        value, start.assumingMemoryBound(to: UInt8.self), bytes.count, remainderStart)
      // libdeflate inverts the register
      value = libdeflate_crc32(~0, remainderStart, remainder.count)
      return folded
    }
  }

  /// Returns the checksum of `bytes`.
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var checksum = CRC32()
    Array(bytes).withUnsafeBytes { checksum.update($0) }
    return checksum.value
  }
}
