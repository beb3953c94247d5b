import TestSupport
import Testing

@testable import Checksums

/// Compares each implementation that this processor supports with arithmetic on 128-bit numbers.
@Suite struct ContentTagTests {
  private static let prime: UInt128 = (1 << 127) - 1

  /// NH of each block, twice, and a polynomial modulo 2¹²⁷ − 1.
  private static func expected(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
    func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
      (0..<4).reduce(0) {
        $0 | (offset + $1 < bytes.count ? UInt32(bytes[offset + $1]) : 0) << UInt32(8 * $1)
      }
    }
    let point = (0..<16).reduce(UInt128(0)) { $0 | UInt128(key[1040 + $1]) << UInt128(8 * $1) } & prime
    func step(_ value: UInt128, _ coefficient: UInt64) -> UInt128 {
      let product = value.multipliedFullWidth(by: point)
      return (prime.dividingFullWidth(product).remainder + UInt128(coefficient)) % prime
    }
    var value: UInt128 = 1
    for block in stride(from: 0, to: message.count, by: 1024) {
      for shift in [0, 16] {
        let sum = stride(from: 0, to: 1024, by: 8).reduce(UInt64(0)) { sum, offset in
          let left = word(message, block + offset) &+ word(key, offset + shift)
          let right = word(message, block + offset + 4) &+ word(key, offset + 4 + shift)
          return sum &+ UInt64(left) &* UInt64(right)
        }
        value = step(value, sum)
      }
    }
    value = step(value, UInt64(message.count))
    return (0..<16).map { UInt8(truncatingIfNeeded: value >> UInt128(8 * $0)) }
  }

  @Test("Content tag: every length around block boundaries", arguments: ContentTagImplementation.available)
  func lengths(_ implementation: ContentTagImplementation) {
    var random = SeededNumbers(seed: 1)
    for length in [0, 1, 3, 4, 31, 32, 1023, 1024, 1025, 2047, 2048, 2049, 5000, 40_960] {
      let (key, message) = (random.bytes(1056), random.bytes(length))
      var tag = RunningContentTag(ContentTagKey(bytes: key), implementation: implementation)
      message.withUnsafeBytes { tag.update($0) }
      #expect(tag.value.bytes == Self.expected(message, key), "\(length) bytes")
    }
  }

  @Test("Content tag: the greatest numbers do not overflow", arguments: ContentTagImplementation.available)
  func greatestNumbers(_ implementation: ContentTagImplementation) {
    for (keyByte, byte) in [(0xFF, 0xFF), (0xFF, 0), (0, 0xFF), (0, 0), (0x7F, 0x80)] as [(UInt8, UInt8)] {
      let key = [UInt8](repeating: keyByte, count: 1056)
      let message = [UInt8](repeating: byte, count: 10_000)
      var tag = RunningContentTag(ContentTagKey(bytes: key), implementation: implementation)
      message.withUnsafeBytes { tag.update($0) }
      #expect(tag.value.bytes == Self.expected(message, key), "\(keyByte), \(byte)")
    }
  }

  @Test("Content tag: pieces of random lengths", arguments: ContentTagImplementation.available)
  func randomPieces(_ implementation: ContentTagImplementation) {
    var random = SeededNumbers(seed: 2)
    for _ in 0..<50 {
      let (key, message) = (random.bytes(1056), random.bytes(Int.random(in: 0...6000, using: &random)))
      var tag = RunningContentTag(ContentTagKey(bytes: key), implementation: implementation)
      var rest = message[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...1500, using: &random))
        piece.withUnsafeBytes { tag.update($0) }
        rest = rest.dropFirst(piece.count)
      }
      #expect(tag.value.bytes == Self.expected(message, key))
    }
  }

  /// The values are those of a program with numbers of any length, which also derives the key.
  @Test(
    "Content tag: the tags of a library stay the same",
    arguments: [
      (0, [0x4994c138ae4a90b5, 0x3baad6111315eb77] as [UInt64]),
      (1, [0x4ecadcdee924f588, 0x51253dfd4e335274] as [UInt64]),
      (1024, [0x6712ffbc49fddc43, 0x1ce19403fd100756] as [UInt64]),
      (3000, [0xd861300311c26077, 0xa5174d23b9fdb23d] as [UInt64]),
    ])
  func vectors(_ length: Int, _ expected: [UInt64]) throws {
    let key = try #require(ContentTagKey(secret: Array(0..<32)))
    let tag = key.tag(of: (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) })
    let bytes = expected.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    #expect(tag.bytes == bytes)
  }

  @Test("Content tag: sixteen bytes there and back, and no other number")
  func bytes() {
    let bytes = Array(UInt8(1)...16)
    #expect(ContentTag(bytes: bytes)?.bytes == bytes)
    #expect(ContentTag(bytes: bytes.dropLast()) == nil)
  }

  @Test("Content tag: a key needs 32 secret bytes")
  func secretLength() {
    #expect(ContentTagKey(secret: [UInt8](repeating: 1, count: 31)) == nil)
    #expect(ContentTagKey.randomSecret().count == 32)
  }

  @Test("Content tag: two libraries have different tags of one photo")
  func keyed() throws {
    let keys = try (0..<2).map { _ in try #require(ContentTagKey(secret: ContentTagKey.randomSecret())) }
    #expect(keys[0].tag(of: [1, 2, 3]) != keys[1].tag(of: [1, 2, 3]))
  }
}

extension SeededNumbers {
  fileprivate mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}
