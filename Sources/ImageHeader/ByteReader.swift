/// Reads small pieces of a file through a window, up to a total number of bytes.
final class ByteReader {
  /// Larger than every image. Offsets are less than it, so that the sum of an offset and a count does not overflow.
  static let largestFile = 1 << 40

  // Parsers read a few bytes at offsets that are often far apart. A larger window would use up the limit for bytes that are
  // skipped.
  private static let windowSize = 256

  private let fetch: (_ offset: Int, _ count: Int) -> [UInt8]
  private var remaining: Int
  private var window: [UInt8] = []
  private var windowStart = 0

  init(limit: Int, fetch: @escaping (_ offset: Int, _ count: Int) -> [UInt8]) {
    self.fetch = fetch
    remaining = limit
  }

  /// Returns exactly `count` bytes; nil past the end of the file, beyond the limit, or if they exceed a window.
  func bytes(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
    guard offset >= 0, offset < Self.largestFile, count >= 0, count <= Self.windowSize else { return nil }
    if offset < windowStart || offset + count > windowStart + window.count {
      let size = min(Self.windowSize, remaining)
      guard size > 0 else { return nil }
      remaining -= size
      window = Array(fetch(offset, size).prefix(size))
      windowStart = offset
    }
    let start = offset - windowStart
    guard start <= window.count, count <= window.count - start else { return nil }
    return window[start..<start + count]
  }
}

enum ByteOrder {
  case big
  case little
}

/// A part of a file. Offsets count from its start, and reads cannot leave it.
struct Block {
  private let reader: ByteReader
  private let start: Int
  let count: Int

  private func contains(_ offset: Int, _ count: Int) -> Bool {
    offset >= 0 && count >= 0 && offset <= self.count && count <= self.count - offset
  }

  func block(_ offset: Int, _ count: Int) -> Block? {
    contains(offset, count) ? Block(reader: reader, start: start + offset, count: count) : nil
  }

  func block(from offset: Int) -> Block? {
    offset <= count ? block(offset, count - offset) : nil
  }

  func bytes(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
    contains(offset, count) ? reader.bytes(start + offset, count) : nil
  }

  func starts(with prefix: [UInt8]) -> Bool {
    bytes(0, prefix.count).map { $0.elementsEqual(prefix) } ?? false
  }

  /// Returns an unsigned number of 0 to 8 bytes; nil if it is out of bounds or exceeds the range of an `Int`.
  func number(_ offset: Int, _ size: Int, _ order: ByteOrder = .big) -> Int? {
    guard size <= 8, let bytes = bytes(offset, size) else { return nil }
    let value =
      switch order {
      case .big: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      case .little: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      }
    return Int(exactly: value)
  }

  func fourCC(_ offset: Int) -> FourCC? {
    number(offset, 4).map(FourCC.init(value:))
  }
}

extension Block {
  init(file reader: ByteReader) {
    self.init(reader: reader, start: 0, count: ByteReader.largestFile)
  }
}

/// The four-character code of a chunk, a box or a brand.
struct FourCC: Hashable {
  let value: Int
}

extension FourCC: ExpressibleByStringLiteral {
  init(stringLiteral text: String) {
    value = text.utf8.prefix(4).reduce(0) { $0 << 8 | Int($1) }
  }
}
