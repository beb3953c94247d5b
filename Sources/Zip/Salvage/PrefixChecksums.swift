import CZLib
import Checksums

/// The checksums of a file's beginning up to regular offsets. The checksum of any range of the file follows from two of
/// them: it takes two reads of at most one block, however long the range is.
struct PrefixChecksums {
  /// The distance between two offsets, in bytes. It grows with the file, so that there are at most about a million.
  let block: Int
  private var checksums: [UInt32] = [0]
  private var running = CRC32()
  private var length = 0

  init(fileSize: Int) {
    var block = 4096
    while fileSize / block > 1 << 20 { block *= 2 }
    self.block = block
  }

  /// Adds the next bytes of the file.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(block - length % block))
      running.update(piece)
      length += piece.count
      rest = UnsafeRawBufferPointer(rebasing: rest[piece.count...])
      if length % block == 0 { checksums.append(running.value) }
    }
  }

  /// Returns the checksum of the file up to the last regular offset that does not exceed `offset`, and that offset.
  func before(_ offset: Int) -> (checksum: UInt32, offset: Int) {
    let index = min(offset / block, checksums.count - 1)
    return (checksums[index], index * block)
  }

  /// Returns the checksum of the bytes after a prefix.
  ///
  /// - Parameters:
  ///   - prefix: the checksum of the prefix.
  ///   - whole: the checksum of the prefix and the bytes after it.
  ///   - length: the number of these bytes.
  static func checksum(after prefix: UInt32, of whole: UInt32, length: Int) -> UInt32 {
    appendingZeros(length, to: prefix) ^ whole
  }

  /// Returns the part of a checksum that comes from its first bytes, after `length` other bytes.
  private static func appendingZeros(_ length: Int, to checksum: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32_combine(UInt(checksum), 0, length))
  }

  /// Computes the checksum of a window of constant length that moves through bytes, one byte at a time.
  struct Window {
    private let table: [UInt32]
    /// The part of the register that a byte has caused when the byte leaves the window.
    private let leaving: [UInt32]
    /// What the first register of a checksum adds to every checksum of this length.
    private let constant: UInt32
    private var register: UInt32 = 0

    init(length: Int) {
      let table = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
      }
      self.table = table
      leaving = table.map { PrefixChecksums.appendingZeros(length, to: $0) }
      constant = PrefixChecksums.appendingZeros(length, to: .max) ^ .max
    }

    /// The checksum of the window.
    var checksum: UInt32 { register ^ constant }

    /// Adds a byte. The window must not be full.
    mutating func append(_ byte: UInt8) {
      register = register >> 8 ^ table[Int(UInt8(truncatingIfNeeded: register) ^ byte)]
    }

    /// Removes the first byte of the window after another byte was added to a full one.
    mutating func remove(_ byte: UInt8) { register ^= leaving[Int(byte)] }
  }
}
