import Foundation

/// `summary .photos_imported == 9`: compares a value in a JSON line of stdout.
struct JSONExpectation: Sendable {
  private enum Operator: String {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains, lacks, exists
  }

  /// The `message_type` of the line; nil for the last line of any type.
  private var messageType: String?
  private var path: String
  private var comparison: Operator
  private var value = JSONValue.null

  struct SyntaxError: Error, CustomStringConvertible { var description: String }

  init(_ text: String) throws {
    var scanner = LineScanner(text)
    var word = scanner.word()
    if !word.hasPrefix(".") {
      messageType = word
      word = scanner.word()
    }
    guard word.hasPrefix("."), let comparison = Operator(rawValue: scanner.word()) else {
      throw SyntaxError(description: "expected: json summary .photos_imported == 9")
    }
    path = word
    self.comparison = comparison
    if comparison == .exists { return }
    guard let value = JSONValue(scanner.remainder) else {
      throw SyntaxError(description: "not a JSON value: \(scanner.remainder)")
    }
    self.value = value
  }

  /// The reason why the output does not match; nil if it matches.
  func mismatch(in output: [UInt8]) -> String? {
    let lines = output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    let values = lines.map(JSONValue.init)
    guard let last = values.last else { return "stdout is empty" }
    var chosen = last
    if let messageType {
      let isRight = { (value: JSONValue?) in value?["message_type"] == .string(messageType) }
      // The command must print these two as the last line.
      let isLastLine = ["summary", "exit_error"].contains(messageType)
      chosen = isLastLine ? (isRight(last) ? last : nil) : values.last(where: isRight) ?? nil
      if chosen == nil {
        return isLastLine ? "the last line is no \(messageType)" : "there is no line of \(messageType)"
      }
    }
    guard let chosen else { return "the last line is not JSON" }
    let found = path.split(separator: ".").reduce(Optional(chosen)) { $0?[String($1)] }
    guard let found else { return comparison == .lacks ? nil : "there is no \(path)" }
    return holds(found) ? nil : "it is \(found)"
  }

  private func holds(_ found: JSONValue) -> Bool {
    switch comparison {
    case .exists: return true
    case .equal: return found == value
    case .unequal: return found != value
    case .contains: return found.contains(value)
    case .lacks: return !found.contains(value)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard case .number(let left) = found, case .number(let right) = value else { return false }
      switch comparison {
      case .less: return left < right
      case .lessOrEqual: return left <= right
      case .greater: return left > right
      default: return left >= right
      }
    }
  }
}

/// Any JSON value. Numbers are compared as Double, which is exact for integers up to 2⁵³.
enum JSONValue: Sendable, Equatable, Decodable, CustomStringConvertible {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Parses a text; nil if the text is not JSON.
  init?(_ text: String) {
    guard let value = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
    self = value
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let string = try? container.decode(String.self) {
      self = .string(string)
    } else if let array = try? container.decode([JSONValue].self) {
      self = .array(array)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// A member by its name, an element by its number, or `length`.
  subscript(key: String) -> JSONValue? {
    switch self {
    case .object(let members): members[key]
    case .array(let elements) where key == "length": .number(Double(elements.count))
    case .array(let elements): Int(key).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
    case .string(let text) where key == "length": .number(Double(text.count))
    default: nil
    }
  }

  /// Whether the value occurs at any depth: as an element, as the value of a member, or as a part of a text.
  func contains(_ value: JSONValue) -> Bool {
    switch (self, value) {
    case (.string(let text), .string(let part)): text.contains(part)
    case (.array(let elements), _): elements.contains { $0.contains(value) }
    case (.object(let members), _): members.values.contains { $0.contains(value) }
    default: self == value
    }
  }

  var description: String {
    switch self {
    case .null: "null"
    case .bool(let bool): "\(bool)"
    case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
    case .string(let text): "\"\(text)\""
    case .array(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
    case .object(let members):
      "{\(members.sorted { $0.key < $1.key }.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}"
    }
  }
}
