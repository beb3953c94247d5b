import Glibc

/// Reads little-endian fields of a record. The caller checks the bounds first; an offset out of bounds stops the
/// program.
extension UnsafeRawBufferPointer {
  func u16(_ offset: Int) -> UInt16 { number(offset) }
  func u32(_ offset: Int) -> UInt32 { number(offset) }
  func u64(_ offset: Int) -> UInt64 { number(offset) }

  @inline(__always)
  private func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
    precondition(offset >= 0 && offset <= count - MemoryLayout<Number>.size)
    return Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Returns the last offset below `end` where a little-endian value begins; nil if the value is not found. At least
  /// three bytes have to follow `end`.
  func lastOffset(of value: UInt32, below end: Int) -> Int? {
    let first = UInt8(truncatingIfNeeded: value)
    var offset = end - 1
    while offset >= 0 {
      if self[offset] == first, u32(offset) == value { return offset }
      offset -= 1
    }
    return nil
  }

  func slice(_ offset: Int, _ length: Int) -> UnsafeRawBufferPointer {
    precondition(offset >= 0 && length >= 0 && offset <= count - length)
    return UnsafeRawBufferPointer(rebasing: self[offset..<offset + length])
  }

  /// Compares length and bytes.
  package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let baseAddress, let start = other.baseAddress else { return count == 0 }
    return memcmp(baseAddress, start, count) == 0
  }
}

/// Appends little-endian fields to a record.
extension [UInt8] {
  mutating func append(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
