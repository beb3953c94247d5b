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
  private var fields = Fields()
  /// A text that is likely to follow. A text with the same bytes becomes this text itself, so that memory holds them once.
  var likelyText: String?

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
    let key = JSONKey(start..<text.position, of: text, isEscaped: text.isEscaped)
    text.skipBlanks()
    text.position += 1
    text.skipBlanks()
    return key
  }

  /// Reads a list.
  mutating func list<Element: FieldValue>() throws(Mismatch) -> [Element] {
    guard text.next == UInt8(ascii: "[") else { throw mismatch("a list") }
    // an array that grows needs twice its memory
    var counting = self
    counting.text.position += 1
    var count = 0
    while counting.isMore() {
      counting.skip()
      count += 1
    }
    guard count <= Element.maximumCount else {
      let reason = "has more than \(Element.maximumCount) elements"
      throw Mismatch(position: text.position, reason: reason, exceedsLimit: true)
    }
    text.position += 1
    var elements: [Element] = []
    // an element may be shorter than any valid one
    let leastBytesOfElement = 20
    elements.reserveCapacity(min(count, text.bytes.count / leastBytesOfElement))
    while isMore() { elements.append(try Element.read(from: &self)) }
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
        gaps.add(row: "\(list)[\(index)]", lacks: key)
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

  mutating func string() throws(Mismatch) -> String {
    guard text.next == UInt8(ascii: "\"") else { throw mismatch("a text") }
    let start = text.position
    _ = text.skipScalar()
    let range = start..<text.position
    if let likelyText, !text.isEscaped, text.has(likelyText, in: range) { return likelyText }
    return text.string(range, isEscaped: text.isEscaped)
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

  /// Skips null. Returns false for every other value.
  mutating func isNull() -> Bool {
    guard text.next == UInt8(ascii: "n") else { return false }
    text.position += 4
    return true
  }
}

extension JSONReader: FieldVisitor {
  typealias Failure = Mismatch

  /// The state of reading a record.
  private struct Fields {
    /// The key whose value is next; nil at the end of the record.
    var key: JSONKey?
    /// True if the last visit has read a value.
    var hasProgress = false
    /// The numbers of the required properties, as bits. Bit 0 stands for all others.
    var required: UInt32 = 0
    /// The numbers of the properties that were read, as bits.
    var read: UInt32 = 1
    /// The missing property with the lowest number.
    var missing: (number: UInt8, key: StaticString?) = (.max, nil)
  }

  /// Reads a record. Most programs write the keys in the order of the visit, or nearly so, which needs few visits.
  mutating func record<Row: Record>(_: Row.Type = Row.self) throws(Mismatch) -> Row {
    let start = try beginObject()
    let outer = fields
    fields = Fields(key: nextKey())
    var record = Row.blank
    repeat {
      fields.hasProgress = false
      try record.visit(&self)
      if fields.key != nil, !fields.hasProgress {
        skip()
        fields.key = nextKey()
      }
    } while fields.key != nil
    let unread = fields.required & ~fields.read
    if unread != 0 {
      fields.missing.number = UInt8(unread.trailingZeroBitCount)
      try record.visit(&self)
    }
    let missing = fields.missing.key
    fields = outer
    guard let missing else { return record }
    throw Mismatch(position: start, missing: missing, reason: "is missing")
  }

  /// Reads a property if its value is next. Inlined, since most calls only compare the lengths of two keys.
  @inline(__always)
  mutating func field<Value: FieldValue>(
    _ key: StaticString, _ value: inout Value, _ rule: FieldRule
  ) throws(Mismatch) {
    fields.required |= 1 << rule.number
    if let next = fields.key, next.count == key.utf8CodeUnitCount, key ~= next {
      try read(&value, rule)
    } else if fields.missing.number == rule.number {
      fields.missing.key = key
    }
  }

  private mutating func read<Value: FieldValue>(_ value: inout Value, _ rule: FieldRule) throws(Mismatch) {
    if !rule.allowsNull || !isNull() { value = try Value.read(from: &self) }
    fields.read |= 1 << rule.number
    fields.key = nextKey()
    fields.hasProgress = true
  }
}
