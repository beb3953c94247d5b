import FileSystem
import Foundation

/// The MD5 of a photo's bytes, which the apps write as `checksum`. It distinguishes photos and detects damage. It does
/// not protect against forged photos.
public struct MD5Digest: Hashable, Sendable, Comparable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes a digest of the words of RFC 1321, whose lowest byte is the first.
  init(words: SIMD4<UInt32>) {
    high = UInt64(words[0].byteSwapped) << 32 | UInt64(words[1].byteSwapped)
    low = UInt64(words[2].byteSwapped) << 32 | UInt64(words[3].byteSwapped)
  }

  /// Makes a digest of sixteen bytes; returns nil for any other number.
  public init?(bytes: some ContiguousBytes) {
    let words = bytes.withUnsafeBytes { bytes -> (UInt64, UInt64)? in
      guard bytes.count == 16 else { return nil }
      return (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    guard let words else { return nil }
    (high, low) = (UInt64(bigEndian: words.0), UInt64(bigEndian: words.1))
  }

  /// Parses 32 hexadecimal digits of either case; returns nil for any other text.
  public init?(hex: Substring) {
    var hex = hex
    let words = hex.withUTF8 { digits -> (UInt64, UInt64)? in
      guard digits.count == 32 else { return nil }
      var words: (UInt64, UInt64) = (0, 0)
      for digit in digits {
        guard let value = Self.value(ofDigit: digit) else { return nil }
        words = (words.0 << 4 | words.1 >> 60, words.1 << 4 | value)
      }
      return words
    }
    guard let words else { return nil }
    (high, low) = words
  }

  /// Parses 32 hexadecimal digits of either case; returns nil for any other text.
  public init?(hex: String) { self.init(hex: hex[...]) }

  private static func value(ofDigit digit: UInt8) -> UInt64? {
    switch digit {
    case 0x30...0x39: UInt64(digit - 0x30)
    case 0x41...0x46: UInt64(digit - 0x41 + 10)
    case 0x61...0x66: UInt64(digit - 0x61 + 10)
    default: nil
    }
  }

  /// Reads a file to its end, and returns its MD5 and length. Blocks.
  package static func ofFile(
    _ file: borrowing File, whileReading: (Int) throws -> Void = { _ in }
  ) throws -> (digest: MD5Digest, size: Int) {
    var hash = RunningMD5()
    let size = try file.readPieces { piece in
      hash.update(piece)
      try whileReading(piece.count)
    }
    return (hash.digest, size)
  }

  /// The sixteen bytes, first byte first.
  public var bytes: [UInt8] {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
  }

  /// 32 lower-case hexadecimal digits, as in the apps' manifest.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: 32) { text in
      for (word, value) in [high, low].enumerated() {
        for index in 0..<16 {
          text[word * 16 + index] = digits[Int(truncatingIfNeeded: value >> (60 - 4 * index)) & 15]
        }
      }
      return 32
    }
  }

  /// Returns the number of bits in which the digests differ.
  package func differingBits(from other: MD5Digest) -> Int {
    (high ^ other.high).nonzeroBitCount + (low ^ other.low).nonzeroBitCount
  }

  /// Compares the bytes.
  public static func < (one: MD5Digest, other: MD5Digest) -> Bool {
    (one.high, one.low) < (other.high, other.low)
  }
}
