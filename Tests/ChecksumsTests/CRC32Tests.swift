import TestSupport
import Testing

@testable import Checksums

@Suite struct CRC32Tests {
  /// The check value of the CRC catalogue: CRC-32/ISO-HDLC.
  @Test("CRC-32: the check value of the catalogue")
  func knownValue() {
    #expect(CRC32.of("123456789".utf8) == 0xCBF4_3926)
    #expect(CRC32.of([]) == 0)
  }

  @Test("CRC-32: pieces have the checksum of the whole")
  func pieces() {
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for split in stride(from: 0, through: 1_000, by: 37) {
      var checksum = CRC32()
      bytes[..<split].withUnsafeBytes { checksum.update($0) }
      bytes[split...].withUnsafeBytes { checksum.update($0) }
      #expect(checksum.value == CRC32.of(bytes))
    }
  }

  @Test("CRC-32: lengths around the bytes that are processed at once, from any start")
  func lengths() {
    var random = SeededNumbers(seed: 1)
    let bytes = (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let lengths = [
      0, 1, 63, 64, 255, 256, 257, 511, 512, 513, 767, 768, 769, 1_023, 1_024, 1_279, 4_000, 4_999,
    ]
    for length in lengths {
      for (start, value) in [(0, 0), (1, ~0), (7, 0x1234_5678)] as [(Int, UInt32)] {
        let piece = bytes.dropFirst(start).prefix(length)
        var checksum = CRC32(value)
        Array(piece).withUnsafeBytes { checksum.update($0) }
        #expect(checksum.value == Self.expected(piece, after: value), "\(length) bytes from \(start)")
      }
    }
  }

  /// Divides the bytes by the polynomial bit by bit.
  private static func expected(_ bytes: some Sequence<UInt8>, after value: UInt32) -> UInt32 {
    ~bytes.reduce(~value) { register, byte in
      (0..<8).reduce(register ^ UInt32(byte)) { register, _ in
        register >> 1 ^ (register & 1 == 0 ? 0 : 0xEDB8_8320)
      }
    }
  }
}
