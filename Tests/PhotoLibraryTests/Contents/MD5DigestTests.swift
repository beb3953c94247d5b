import Checksums
import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

struct MD5DigestTests {
  // RFC 1321, A.5
  @Test(
    "MD5: the test vectors of RFC 1321",
    arguments: [
      ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
      ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      (
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "57edf4a22be3c955ac49da2e2107b67a"
      ),
    ])
  func standardVectors(text: String, hex: String) throws {
    let digest = LibraryScratch.digest(text)
    #expect(digest.description == hex)
    #expect(MD5Digest(hex: hex) == digest)
    #expect(MD5Digest(hex: hex.uppercased()) == digest)
    #expect(MD5Digest(bytes: digest.bytes) == digest)
    let folder = ScratchFolder()
    try folder.write(text, to: "x")
    let (ofFile, size) = try MD5Digest.ofFile(File.open(folder.path("x"), .read))
    #expect(ofFile == digest)
    #expect(size == text.utf8.count)
  }

  @Test(
    "MD5: text that is not a digest is refused",
    arguments: [
      "", "0", "d41d8cd98f00b204e9800998ecf8427", "d41d8cd98f00b204e9800998ecf8427e0",
      "g41d8cd98f00b204e9800998ecf8427e", " d41d8cd98f00b204e9800998ecf8427",
      "d41d8cd98f00b204e9800998ecf842７e",
      "-41d8cd98f00b204e9800998ecf8427e", "d41d8cd98f00b204e9800998ecf8427\0",
      "é1d8cd98f00b204e9800998ecf8427e",
    ])
  func invalidHex(hex: String) {
    #expect(MD5Digest(hex: hex) == nil)
  }

  @Test("MD5: a digest has sixteen bytes", arguments: [0, 1, 15, 17, 32])
  func byteCount(count: Int) {
    #expect(MD5Digest(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test("MD5: bytes, text and order agree")
  func representations() {
    var random = SeededNumbers(seed: 1)
    var digests: [MD5Digest] = []
    for _ in 0..<500 {
      let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
      guard let digest = MD5Digest(bytes: bytes) else {
        Issue.record("no digest of \(bytes)")
        continue
      }
      #expect(digest.bytes == bytes)
      #expect(digest.description == bytes.map { String(format: "%02x", $0) }.joined())
      #expect(MD5Digest(hex: digest.description) == digest)
      digests.append(digest)
    }
    #expect(digests.sorted().map(\.description) == digests.map(\.description).sorted())
  }

  @Test("MD5: a column has the sixteen bytes of the digest")
  func column() {
    let digest = LibraryScratch.digest("x")
    #expect(digest.blob == Data(digest.bytes))
  }

  @Test("MD5: a large file is read to its end", arguments: [(1 << 18) - 1, 1 << 18, (1 << 18) + 1, 700_001])
  func largeFile(size: Int) throws {
    let folder = ScratchFolder()
    let text = String(repeating: "x", count: size)
    try folder.write(text, to: "x")
    var pieces = 0
    let result = try MD5Digest.ofFile(File.open(folder.path("x"), .read)) { pieces += $0 }
    #expect(result.digest == LibraryScratch.digest(text))
    #expect(result.size == size)
    #expect(pieces == size)
  }

  @Test("MD5: the caller can stop the reading")
  func cancellation() throws {
    let folder = ScratchFolder()
    try folder.write("x", to: "x")
    #expect(throws: CancellationError.self) {
      _ = try MD5Digest.ofFile(File.open(folder.path("x"), .read)) { _ in throw CancellationError() }
    }
  }
}
