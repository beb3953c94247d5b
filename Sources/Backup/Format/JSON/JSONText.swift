import Zip

/// The bytes of a JSON document, and a position in them.
struct JSONText {
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0
  /// True if the string that was skipped last has an escape.
  private(set) var isEscaped = false

  init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  /// The byte at the position. 0 at the end, because no JSON value begins with 0.
  var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

  mutating func skipBlanks() {
    // most bytes are greater
    while next <= 0x20, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 {
      position += 1
      // an indentation
      if let word { position += (word ^ Self.ones &* 0x20).trailingZeroBitCount / 8 }
    }
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// The next eight bytes, the first one as the lowest; nil near the end.
  private var word: UInt64? {
    guard bytes.count - position >= 8 else { return nil }
    let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: position, as: UInt64.self)
    return UInt64(littleEndian: word)
  }

  /// Skips a string, a number or a literal. Returns a description of the fault if it is invalid.
  mutating func skipScalar() -> String? {
    switch next {
    case UInt8(ascii: "\""): skipText()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): skipNumber()
    case UInt8(ascii: "t"): skipWord("true")
    case UInt8(ascii: "f"): skipWord("false")
    case UInt8(ascii: "n"): skipWord("null")
    default: isAtEnd ? "the document ends too early" : "a value is missing"
    }
  }

  private mutating func skipWord(_ word: StaticString) -> String? {
    let count = word.utf8CodeUnitCount
    let word = UnsafeBufferPointer(start: word.utf8Start, count: count)
    guard position <= bytes.count - count,
      UnsafeBufferPointer(rebasing: bytes[position..<position + count]).elementsEqual(word)
    else { return "a value is missing" }
    position += count
    return nil
  }

  var isDigitNext: Bool { next &- UInt8(ascii: "0") < 10 }
  /// True if a fraction or an exponent follows the digits.
  var isNumberGoingOn: Bool { next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") }

  private mutating func skipDigits() -> Int {
    let start = position
    while isDigitNext { position += 1 }
    return position - start
  }

  /// Skips the sign and the first digits of a number, and returns their value.
  mutating func plainDigits() -> (magnitude: UInt64, isTooLarge: Bool) {
    if next == UInt8(ascii: "-") { position += 1 }
    let start = position
    var magnitude: UInt64 = 0
    while isDigitNext {
      magnitude = magnitude &* 10 &+ UInt64(next &- UInt8(ascii: "0"))
      position += 1
    }
    // 19 digits are less than 2⁶⁴
    return (magnitude, position - start > 19)
  }

  private mutating func skipNumber() -> String? {
    let reason = "this is not a number"
    if next == UInt8(ascii: "-") { position += 1 }
    let isZero = next == UInt8(ascii: "0")
    let digits = skipDigits()
    guard digits == 1 || digits > 1 && !isZero else { return reason }
    if next == UInt8(ascii: ".") {
      position += 1
      guard skipDigits() > 0 else { return reason }
    }
    if next | 0x20 == UInt8(ascii: "e") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      guard skipDigits() > 0 else { return reason }
    }
    return nil
  }

  private mutating func skipText() -> String? {
    position += 1
    isEscaped = false
    while true {
      skipPlainBytes()
      guard position < bytes.count else { break }
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return nil
      case 0..<0x20: return "a text contains a control character"
      case UInt8(ascii: "\\"):
        isEscaped = true
        if let reason = skipEscape() { return reason }
      default: continue
      }
    }
    return "a text has no end"
  }

  /// Skips bytes of a text, eight at a time, as long as none is a quote, a backslash or a control character.
  private mutating func skipPlainBytes() {
    let ones = Self.ones
    while let word {
      let quotes = word ^ ones &* 0x22
      let backslashes = word ^ ones &* 0x5C
      // the first byte that is too small borrows into its highest bit; later bytes may do so without being small
      let special =
        ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word)
        & (ones &* 0x80)
      guard special == 0 else {
        position += special.trailingZeroBitCount / 8
        return
      }
      position += 8
    }
  }

  /// Skips the rest of an escape after the backslash. Refuses half of a surrogate pair, because programs decode it
  /// differently.
  private mutating func skipEscape() -> String? {
    let letter = next
    position += 1
    guard letter == UInt8(ascii: "u") else {
      return "\"\\/bfnrt".utf8.contains(letter) ? nil : "a text contains an unknown escape"
    }
    guard let unit = hexUnit() else { return "a text contains an unknown escape" }
    guard (0xD800..<0xE000).contains(unit) else { return nil }
    guard unit < 0xDC00, next == UInt8(ascii: "\\") else { return "a text contains an incomplete character" }
    position += 1
    guard next == UInt8(ascii: "u") else { return "a text contains an incomplete character" }
    position += 1
    guard let low = hexUnit(), (0xDC00..<0xE000).contains(low) else {
      return "a text contains an incomplete character"
    }
    return nil
  }

  private mutating func hexUnit() -> UInt32? {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(next)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }

  /// Returns the unescaped content of the string in this range, which includes the quotes.
  ///
  /// - Parameter isEscaped: false if the string has no escape.
  func string(_ range: Range<Int>, isEscaped: Bool = true) -> String {
    guard !isEscaped else { return String(decoding: unescaped(range), as: UTF8.self) }
    return String(decoding: bytes[range.lowerBound + 1..<range.upperBound - 1], as: UTF8.self)
  }

  /// Returns true if the string in this range, which includes the quotes and has no escapes, has the bytes of `text`.
  func has(_ text: String, in range: Range<Int>) -> Bool {
    guard text.utf8.count == range.count - 2 else { return false }
    var text = text
    let raw = UnsafeBufferPointer(rebasing: bytes[range.lowerBound + 1..<range.upperBound - 1])
    return text.withUTF8 { UnsafeRawBufferPointer(raw).hasSameBytes(as: UnsafeRawBufferPointer($0)) }
  }

  /// Returns the unescaped bytes of the string in this range, which includes the quotes.
  func unescaped(_ range: Range<Int>) -> [UInt8] {
    let raw = bytes[range.lowerBound + 1..<range.upperBound - 1]
    guard raw.contains(UInt8(ascii: "\\")) else { return Array(raw) }
    var copy = JSONText(bytes: bytes)
    copy.position = range.lowerBound + 1
    var units: [UInt16] = []
    while copy.position < range.upperBound - 1 {
      let byte = copy.next
      guard byte == UInt8(ascii: "\\") else {
        let end = bytes[copy.position..<range.upperBound - 1].firstIndex(of: UInt8(ascii: "\\"))
        let part = bytes[copy.position..<(end ?? range.upperBound - 1)]
        units += Array(String(decoding: part, as: UTF8.self).utf16)
        copy.position = part.endIndex
        continue
      }
      copy.position += 1
      let letter = copy.next
      copy.position += 1
      if letter == UInt8(ascii: "u") {
        units.append(UInt16(copy.hexUnit() ?? 0xFFFD))
      } else {
        units.append(UInt16(Self.escapes[letter] ?? letter))
      }
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13,
    UInt8(ascii: "t"): 9,
  ]

  /// Returns a key for a message. Shortens a long key.
  func key(_ range: Range<Int>) -> String {
    let text = string(range)
    return text.count > 60 ? "\(text.prefix(60))…" : text
  }
}

/// A key of an object, for comparison with the known keys.
struct JSONKey {
  /// The key with its quotes.
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The number of bytes of the unescaped key.
  let count: Int

  /// - Parameter isEscaped: false if the key has no escape.
  init(_ range: Range<Int>, of text: JSONText, isEscaped: Bool = true) {
    bytes = UnsafeBufferPointer(rebasing: text.bytes[range])
    count = isEscaped ? text.unescaped(range).count : bytes.count - 2
  }

  /// The key as a text.
  var text: String { JSONText(bytes: bytes).string(0..<bytes.count) }

  static func ~= (name: StaticString, key: JSONKey) -> Bool {
    guard name.utf8CodeUnitCount == key.count else { return false }
    let name = UnsafeRawBufferPointer(start: name.utf8Start, count: key.count)
    guard key.bytes.count == key.count + 2 else {
      return JSONText(bytes: key.bytes).unescaped(0..<key.bytes.count).elementsEqual(name)
    }
    let content = UnsafeBufferPointer(rebasing: key.bytes[1...key.count])
    return UnsafeRawBufferPointer(content).hasSameBytes(as: name)
  }
}
