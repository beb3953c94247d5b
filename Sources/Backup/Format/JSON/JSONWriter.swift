import FileSystem

/// Writes a JSON document incrementally, without a tree of its values. Like Foundation, indents by two blanks.
/// Writes the keys in the order of the calls.
struct JSONWriter {
  /// The bytes that have not been passed on yet.
  private var bytes: [UInt8] = []
  /// A line feed and the indentation.
  private var lineStart = Array("\n".utf8)
  /// True if the innermost container has no value yet.
  private var isEmpty = true

  /// Passes on the bytes since the last call, if there are at least `minimum` of them.
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
    _ key: StaticString?, of elements: some Sequence<Element>,
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
    if lineStart.count > 1 { begin(key) }
    bytes.append(UInt8(ascii: opening))
    lineStart += "  ".utf8
    isEmpty = true
    try contents(&self)
    // Foundation writes an empty line into an empty container
    if isEmpty { bytes.append(UInt8(ascii: "\n")) }
    lineStart.removeLast(2)
    bytes += lineStart
    bytes.append(UInt8(ascii: closing))
    isEmpty = false
  }

  /// Writes a property, or an element of a list if it has no key.
  mutating func text(_ key: StaticString?, _ value: String) {
    begin(key)
    bytes.appendJSON(value)
  }

  /// Writes a property, or an element of a list if it has no key.
  mutating func flag(_ key: StaticString?, _ value: Bool) {
    begin(key)
    append(value ? "true" : "false")
  }

  /// Writes the comma after the previous value, the indentation and the key.
  private mutating func begin(_ key: StaticString?) {
    if !isEmpty { bytes.append(UInt8(ascii: ",")) }
    isEmpty = false
    bytes += lineStart
    guard let key else { return }
    bytes.append(UInt8(ascii: "\""))
    append(key)
    append("\" : ")
  }

  private mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes a property, or an element of a list if it has no key.
  mutating func integer(_ key: StaticString?, _ value: Int64) {
    begin(key)
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
}

extension JSONWriter: FieldVisitor {
  typealias Failure = Never

  mutating func field<Value: FieldValue>(_ key: StaticString, _ value: inout Value, _ rule: FieldRule) {
    value.write(key, rule, to: &self)
  }
}
