import Operations

/// An object of `metadata.json`. Names each of its properties once: the same list reads, writes and checks it.
protocol Record: FieldValue, Equatable {
  /// The record before its properties are read. Properties that the document omits keep their values.
  static var blank: Self { get }

  /// Passes every property to a visitor, in the order of the document: sorted by key.
  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure)
}

/// Reads, writes or checks the properties of records.
protocol FieldVisitor {
  /// Why a property is refused.
  associatedtype Failure: Error

  /// Visits a property.
  mutating func field<Value: FieldValue>(
    _ key: StaticString, _ value: inout Value, _ rule: FieldRule
  ) throws(Failure)
}

/// What a property may be.
struct FieldRule {
  /// The number of a required property in its record, from 1 to 31; 0 if the property may be missing. Of several missing
  /// properties, the one with the lowest number is reported.
  private(set) var number: UInt8 = 0
  /// True if null counts as missing.
  private(set) var allowsNull = false
  /// True if false, an empty list, and a record without values are not written.
  private(set) var isOmittedIfEmpty = false
  /// True if a text must not contain NUL or be longer than `Metadata.maximumTextBytes`.
  private(set) var limitsText = true
  /// The range of a number.
  private(set) var range: ClosedRange<Int64>?
  /// True if the least number is valid, too.
  private(set) var allowsLeast = false

  /// The property must be there.
  static func required(_ number: UInt8) -> FieldRule { FieldRule(number: number) }

  /// The property may be missing or null.
  static var optional: FieldRule { FieldRule(allowsNull: true) }

  /// The property may be missing or null, and is not written if it has no value.
  static var optionalIfEmpty: FieldRule { FieldRule(allowsNull: true, isOmittedIfEmpty: true) }

  /// The property may be missing, and is not null.
  static var notNull: FieldRule { FieldRule() }

  /// The property may be missing, is not null, and is not written if it has no value.
  static var notNullIfEmpty: FieldRule { FieldRule(isOmittedIfEmpty: true) }

  /// The date of values, or the least number, which this project writes for values without a date.
  static var asOf: FieldRule {
    FieldRule(allowsNull: true, allowsLeast: true).within(Metadata.dates)
  }

  /// Returns the same rule for numbers in a range.
  func within(_ range: ClosedRange<some FixedWidthInteger>) -> FieldRule {
    var rule = self
    rule.range = Int64(range.lowerBound)...Int64(range.upperBound)
    return rule
  }

  /// Returns the same rule for times in a range.
  func within(_ range: ClosedRange<Timestamp>) -> FieldRule {
    within(range.lowerBound.rawValue...range.upperBound.rawValue)
  }

  /// The same rule for any text: what is done with the text does not depend on its length or its characters.
  var anyText: FieldRule {
    var rule = self
    rule.limitsText = false
    return rule
  }
}

/// The value of a property.
protocol FieldValue {
  /// The most elements of a list of such values.
  static var maximumCount: Int { get }

  /// Reads a value that is not null.
  static func read(from json: inout JSONReader) throws(JSONReader.Mismatch) -> Self

  /// Writes the value with a key, or as an element of a list.
  func write(_ key: StaticString?, _ rule: FieldRule, to json: inout JSONWriter)

  /// Repairs or refuses a value that the current rule does not allow.
  mutating func check(_ ranges: inout RangeCheck) throws(Metadata.Fault)
}

extension FieldValue {
  static var maximumCount: Int { Metadata.maximumElements }

  mutating func check(_ ranges: inout RangeCheck) throws(Metadata.Fault) {}
}

extension Record {
  static var maximumCount: Int { .max }

  static func read(from json: inout JSONReader) throws(JSONReader.Mismatch) -> Self { try json.record() }

  func write(_ key: StaticString?, _ rule: FieldRule, to json: inout JSONWriter) {
    if rule.isOmittedIfEmpty, self == .blank { return }
    var record = self
    json.object(key) { record.visit(&$0) }
  }

  mutating func check(_ ranges: inout RangeCheck) throws(Metadata.Fault) { try ranges.record(&self) }
}

extension String: FieldValue {
  static func read(from json: inout JSONReader) throws(JSONReader.Mismatch) -> String { try json.string() }

  func write(_ key: StaticString?, _ rule: FieldRule, to json: inout JSONWriter) { json.text(key, self) }

  mutating func check(_ ranges: inout RangeCheck) throws(Metadata.Fault) { try ranges.text(&self) }
}

extension Bool: FieldValue {
  static func read(from json: inout JSONReader) throws(JSONReader.Mismatch) -> Bool { try json.flag() }

  func write(_ key: StaticString?, _ rule: FieldRule, to json: inout JSONWriter) {
    if self || !rule.isOmittedIfEmpty { json.flag(key, self) }
  }
}

extension FieldValue where Self: FixedWidthInteger {
  static func read(from json: inout JSONReader) throws(JSONReader.Mismatch) -> Self { try json.integer() }

  func write(_ key: StaticString?, _ rule: FieldRule, to json: inout JSONWriter) {
    json.integer(key, Int64(truncatingIfNeeded: self))
  }

  mutating func check(_ ranges: inout RangeCheck) throws(Metadata.Fault) {
    self = Self(truncatingIfNeeded: try ranges.number(Int64(truncatingIfNeeded: self)))
  }
}

extension Int: FieldValue {}
extension Int64: FieldValue {}

extension Timestamp: FieldValue {
  static func read(from json: inout JSONReader) throws(JSONReader.Mismatch) -> Timestamp {
    Timestamp(rawValue: try json.integer())
  }

  func write(_ key: StaticString?, _ rule: FieldRule, to json: inout JSONWriter) {
    json.integer(key, rawValue)
  }

  mutating func check(_ ranges: inout RangeCheck) throws(Metadata.Fault) { try rawValue.check(&ranges) }
}

extension Optional: FieldValue where Wrapped: FieldValue {
  static func read(from json: inout JSONReader) throws(JSONReader.Mismatch) -> Wrapped? {
    try Wrapped.read(from: &json)
  }

  func write(_ key: StaticString?, _ rule: FieldRule, to json: inout JSONWriter) {
    self?.write(key, rule, to: &json)
  }

  mutating func check(_ ranges: inout RangeCheck) throws(Metadata.Fault) { try ranges.optional(&self) }
}

extension Array: FieldValue where Element: FieldValue {
  static func read(from json: inout JSONReader) throws(JSONReader.Mismatch) -> [Element] { try json.list() }

  func write(_ key: StaticString?, _ rule: FieldRule, to json: inout JSONWriter) {
    if rule.isOmittedIfEmpty, isEmpty { return }
    json.list(key, of: self) { $1.write(nil, .notNull, to: &$0) }
  }

  mutating func check(_ ranges: inout RangeCheck) throws(Metadata.Fault) { try ranges.list(&self) }
}
