import FileSystem
import Operations

/// A value in a line of JSON.
protocol JSONValue: Sendable {
  /// Appends the value as JSON.
  func appendJSON(to line: inout [UInt8])
}

/// The fields of a line of JSON, or of an object in a line. A field whose value is nil is left out.
struct JSONFields: ExpressibleByDictionaryLiteral, JSONValue {
  private var fields: [(key: String, value: (any JSONValue)?)]

  init(dictionaryLiteral fields: (String, (any JSONValue)?)...) { self.fields = fields }

  /// Makes fields whose keys are data.
  init(_ fields: [String: any JSONValue]) { self.fields = fields.map { ($0.key, $0.value) } }

  /// Returns an object of some fields and the type of the line, `message_type`, without a line feed at the end.
  static func line(_ type: String, _ fields: JSONFields) -> String {
    var fields = fields
    fields.fields.append(("message_type", type))
    var line: [UInt8] = []
    line.reserveCapacity(256)
    fields.appendJSON(to: &line)
    return String(decoding: line, as: UTF8.self)
  }

  /// Sorts the keys, so that equal values give equal lines.
  func appendJSON(to line: inout [UInt8]) {
    var separator = UInt8(ascii: "{")
    for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard let value else { continue }
      line.append(separator)
      separator = UInt8(ascii: ",")
      line.appendJSON(key)
      line.append(UInt8(ascii: ":"))
      value.appendJSON(to: &line)
    }
    if separator == UInt8(ascii: "{") { line.append(separator) }
    line.append(UInt8(ascii: "}"))
  }
}

/// A value that is `null` if it is nil.
struct Null: JSONValue {
  private let value: (any JSONValue)?

  init(_ value: (any JSONValue)?) { self.value = value }

  func appendJSON(to line: inout [UInt8]) {
    if let value { value.appendJSON(to: &line) } else { line.append(contentsOf: "null".utf8) }
  }
}

extension String: JSONValue {
  func appendJSON(to line: inout [UInt8]) { line.appendJSON(self) }
}

extension Bool: JSONValue {
  func appendJSON(to line: inout [UInt8]) { line.append(contentsOf: (self ? "true" : "false").utf8) }
}

/// Whole numbers, and types that stand for one.
extension JSONValue where Self: ExpressibleByIntegerLiteral {
  func appendJSON(to line: inout [UInt8]) { line.append(contentsOf: "\(self)".utf8) }
}

extension Int: JSONValue {}
extension Int32: JSONValue {}
extension Int64: JSONValue {}
extension Timestamp: JSONValue {}

extension Double: JSONValue {
  /// JSON has no infinity: it becomes a text.
  func appendJSON(to line: inout [UInt8]) {
    guard isFinite else { return line.appendJSON("\(self)") }
    line.append(contentsOf: (Int64(exactly: self).map { "\($0)" } ?? "\(self)").utf8)
  }
}

extension Array: JSONValue where Element: JSONValue {
  func appendJSON(to line: inout [UInt8]) {
    line.append(UInt8(ascii: "["))
    for (index, element) in enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      element.appendJSON(to: &line)
    }
    line.append(UInt8(ascii: "]"))
  }
}

extension Result {
  /// The error in one line; nil after a success.
  var problem: String? { if case .failure(let error) = self { "\(error)" } else { nil } }
}
