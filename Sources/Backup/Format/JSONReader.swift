import Zip

/// Reads a JSON document value by value and builds no tree. The document has passed a `JSONScan`: it is valid JSON,
/// and only the types and ranges of its values can be wrong.
struct JSONReader {
  /// Why a value is refused.
  struct Mismatch: Error {
    /// The offset of the value in the document, in bytes.
    var position: Int
    /// The required property that this value lacks.
    var missing: StaticString?
    /// What is wrong.
    var reason: String
    /// True if a limit is the cause.
    var exceedsLimit = false
  }

  private var text: JSONText

  /// - Parameter position: the offset of a value.
  init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
    text = JSONText(bytes: bytes)
    text.position = position
  }

  private func mismatch(_ expected: StaticString) -> Mismatch {
    let reason = text.next == UInt8(ascii: "n") ? "is null" : "should be \(expected)"
    return Mismatch(position: text.position, reason: reason)
  }

  // MARK: Objects and lists

  /// Begins an object, whose keys `nextKey` returns. Returns the offset of the object.
  @discardableResult
  mutating func beginObject() throws(Mismatch) -> Int {
    guard text.next == UInt8(ascii: "{") else { throw mismatch("an object") }
    text.position += 1
    return text.position - 1
  }

  /// Returns the next key of the innermost object, or nil at its end. The caller reads or skips the value before it
  /// asks for the next key.
  mutating func nextKey() -> JSONKey? {
    guard isMore() else { return nil }
    let start = text.position
    _ = text.skipScalar()
    let key = JSONKey(start..<text.position, of: text)
    text.skipBlanks()
    text.position += 1
    text.skipBlanks()
    return key
  }

  /// Reads a list. `element` reads each element.
  ///
  /// - Parameter maximum: the most elements.
  mutating func list<Element>(
    atMost maximum: Int = Metadata.maximumElements,
    of element: (inout JSONReader) throws(Mismatch) -> Element
  ) throws(Mismatch) -> [Element] {
    guard text.next == UInt8(ascii: "[") else { throw mismatch("a list") }
    // an array that grows needs twice its memory
    var counting = self
    counting.text.position += 1
    var count = 0
    while counting.isMore() {
      counting.skip()
      count += 1
    }
    guard count <= maximum else {
      let reason = "has more than \(maximum) elements"
      throw Mismatch(position: text.position, reason: reason, exceedsLimit: true)
    }
    text.position += 1
    var elements: [Element] = []
    // an element may be shorter than any valid one
    let leastBytesOfElement = 20
    elements.reserveCapacity(min(count, text.bytes.count / leastBytesOfElement))
    while isMore() { elements.append(try element(&self)) }
    return elements
  }

  /// Reads a list of objects. `row` reads each object. Leaves out an object that lacks a required property.
  ///
  /// - Parameters:
  ///   - capacity: the number of rows to reserve memory for.
  ///   - gaps: receives the property that each such object lacks.
  mutating func rows<Row>(
    of list: StaticString, capacity: Int, gaps: inout JSONGaps,
    _ row: (inout JSONReader) throws(Mismatch) -> Row
  ) throws(Mismatch) -> [Row] {
    guard text.next == UInt8(ascii: "[") else { throw mismatch("a list") }
    text.position += 1
    var rows: [Row] = []
    rows.reserveCapacity(capacity)
    var index = -1
    while isMore() {
      let start = text.position
      index += 1
      do throws(Mismatch) {
        rows.append(try row(&self))
      } catch {
        guard let key = error.missing, error.position == start else { throw error }
        // the object was read to its end before the property was missed
        gaps.add(.row("\(list)[\(index)]", lacks: "\(key)"))
      }
    }
    return rows
  }

  /// Advances to the next value of an object or a list. Returns false and advances past the end if no value is left.
  private mutating func isMore() -> Bool {
    text.skipBlanks()
    if text.next == UInt8(ascii: ",") {
      text.position += 1
      text.skipBlanks()
    }
    guard text.next == UInt8(ascii: "}") || text.next == UInt8(ascii: "]") else { return true }
    text.position += 1
    return false
  }

  /// Skips a value of any type.
  mutating func skip() {
    var depth = 0
    repeat {
      switch text.next {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        text.position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        text.position += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): text.position += 1
      // the scan has accepted the scalar
      default: if text.skipScalar() != nil { return }
      }
      if depth > 0 { text.skipBlanks() }
    } while depth > 0
  }

  // MARK: Texts, flags and numbers

  /// Reads a text. Returns `likely` itself if the text has the same bytes, so that memory holds them once.
  mutating func string(likely: String? = nil) throws(Mismatch) -> String {
    guard text.next == UInt8(ascii: "\"") else { throw mismatch("a text") }
    let start = text.position
    _ = text.skipScalar()
    if let likely, text.has(likely, in: start..<text.position) { return likely }
    return text.string(start..<text.position)
  }

  mutating func flag() throws(Mismatch) -> Bool {
    let isTrue = text.next == UInt8(ascii: "t")
    guard isTrue || text.next == UInt8(ascii: "f") else { throw mismatch("true or false") }
    text.position += isTrue ? 4 : 5
    return isTrue
  }

  mutating func integer<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(Mismatch) -> Number {
    let start = text.position
    let isNegative = text.next == UInt8(ascii: "-")
    guard isNegative || text.isDigitNext else { throw mismatch("a whole number") }
    let (magnitude, isTooLarge) = text.plainDigits()
    if !text.isNumberGoingOn, !isTooLarge, let number = Number(isNegative: isNegative, magnitude) {
      return number
    }
    text.position = start
    _ = text.skipScalar()
    let digits = UnsafeBufferPointer(rebasing: text.bytes[start..<text.position])
    switch JSONNumber.wholeNumber(digits) {
    case .success(let magnitude):
      if let number = Number(isNegative: isNegative, magnitude) { return number }
    case .failure(.isFraction):
      throw Mismatch(position: start, reason: "should be a whole number")
    case .failure(.isTooLarge): break
    }
    throw Mismatch(position: start, reason: "is out of range, \(Number.min) to \(Number.max)")
  }

  // MARK: Null

  private mutating func isNull() -> Bool {
    guard text.next == UInt8(ascii: "n") else { return false }
    text.position += 4
    return true
  }

  /// Returns nil for null, otherwise the result of `value`.
  mutating func optional<Value>(
    _ value: (inout JSONReader) throws(Mismatch) -> Value
  ) throws(Mismatch) -> Value? {
    isNull() ? nil : try value(&self)
  }

  mutating func optionalString() throws(Mismatch) -> String? { isNull() ? nil : try string() }

  mutating func optionalFlag() throws(Mismatch) -> Bool? { isNull() ? nil : try flag() }

  mutating func optionalInteger<Number: FixedWidthInteger>(
    _: Number.Type = Number.self
  ) throws(Mismatch) -> Number? {
    isNull() ? nil : try integer()
  }
}

extension FixedWidthInteger {
  fileprivate init?(isNegative: Bool, _ magnitude: UInt64) {
    if isNegative {
      // the least number has no positive counterpart
      guard magnitude <= Int64.min.magnitude else { return nil }
      self.init(exactly: Int64(truncatingIfNeeded: 0 &- magnitude))
    } else {
      self.init(exactly: magnitude)
    }
  }
}

/// A key of an object, for comparison with the known keys.
struct JSONKey {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The unescaped bytes, if the key contains escapes.
  private let unescaped: [UInt8]?

  init(_ range: Range<Int>, of text: JSONText) {
    bytes = UnsafeBufferPointer(rebasing: text.bytes[range.lowerBound + 1..<range.upperBound - 1])
    unescaped = bytes.contains(UInt8(ascii: "\\")) ? text.unescaped(range) : nil
  }

  /// The key as a text.
  var text: String {
    unescaped.map { String(decoding: $0, as: UTF8.self) } ?? String(decoding: bytes, as: UTF8.self)
  }

  static func ~= (name: StaticString, key: JSONKey) -> Bool {
    let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    if let unescaped = key.unescaped { return unescaped.elementsEqual(name) }
    return key.bytes.count == name.count && UnsafeRawBufferPointer(key.bytes).hasSameBytes(as: name)
  }
}
