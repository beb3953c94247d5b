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
}
