/// Writes a JSON document byte by byte, without a tree of its values, and passes it on piece by piece. Indented by two
/// blanks, as Foundation writes it; the keys come in the order in which they are given.
struct JSONWriter {
  /// What has not been passed on yet.
  private var bytes: [UInt8] = []
  /// How many objects and lists are open.
  private var depth = 0
  /// Nothing stands yet in the innermost of them.
  private var isEmpty = true

  /// Hands over what has been written since the last time, if that is so many bytes.
  mutating func pass(
    to write: (UnsafeRawBufferPointer) throws -> Void, from minimum: Int = 0
  ) rethrows {
    guard bytes.count >= minimum else { return }
    try bytes.withUnsafeBytes(write)
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func object(
    _ key: StaticString? = nil, _ properties: (inout JSONWriter) throws -> Void
  ) rethrows {
    try contain(key, "{", "}", properties)
  }

  mutating func list<Element>(
    _ key: StaticString, of elements: some Sequence<Element>,
    _ write: (inout JSONWriter, Element) throws -> Void
  ) rethrows {
    try contain(key, "[", "]") { writer in
      for element in elements { try write(&writer, element) }
    }
  }

  private mutating func contain(
    _ key: StaticString?, _ opening: Unicode.Scalar, _ closing: Unicode.Scalar,
    _ contents: (inout JSONWriter) throws -> Void
  ) rethrows {
    if depth > 0 { begin(key) }
    bytes.append(UInt8(ascii: opening))
    depth += 1
    isEmpty = true
    try contents(&self)
    // Foundation leaves an empty line in what is empty
    if isEmpty { bytes.append(UInt8(ascii: "\n")) }
    depth -= 1
    newLine()
    bytes.append(UInt8(ascii: closing))
    isEmpty = false
  }

  /// Writes a property; none if the value is nil.
  mutating func property(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    begin(key)
    text(value)
  }

  /// Writes a property; none if the value is nil.
  mutating func property(_ key: StaticString, _ value: (some BinaryInteger)?) {
    guard let value, let value = Int64(exactly: value) else { return }
    begin(key)
    integer(value)
  }

  /// Writes an element of a list.
  mutating func element(_ value: String) {
    begin(nil)
    text(value)
  }

  /// Writes a property; none if the value is nil.
  mutating func property(_ key: StaticString, _ value: Bool?) {
    guard let value else { return }
    begin(key)
    append(value ? "true" : "false")
  }

  /// The comma after what stands before, the line's beginning and the key.
  private mutating func begin(_ key: StaticString?) {
    if !isEmpty { bytes.append(UInt8(ascii: ",")) }
    isEmpty = false
    newLine()
    guard let key else { return }
    bytes.append(UInt8(ascii: "\""))
    append(key)
    append("\" : ")
  }

  private mutating func newLine() {
    bytes.append(UInt8(ascii: "\n"))
    for _ in 0..<depth { append("  ") }
  }

  private mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func integer(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = value.magnitude
      var start = digits.count
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }

  private mutating func text(_ value: String) {
    bytes.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { utf8 in
      // as many bytes at a time as need no escape
      var start = 0
      for (index, byte) in utf8.enumerated() where Self.needsEscape(byte) {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
        escape(byte)
        start = index + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// RFC 8259, 7: the short way where there is one.
  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    case 0..<0x20:
      append("\\u00")
      for digit in [byte >> 4, byte & 15] {
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    default:
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    }
  }
}
