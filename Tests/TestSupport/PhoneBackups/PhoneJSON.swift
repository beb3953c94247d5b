/// A JSON value whose members keep their order, so that a document can be printed as an app's serializer prints it.
package enum PhoneJSON: Sendable {
  /// Members in order.
  case object([Member])
  /// Values in order.
  case array([PhoneJSON])
  /// A text.
  case string(String)
  /// An integer.
  case number(Int64)
  /// True or false.
  case bool(Bool)
  /// The value `null`.
  case null

  /// A member of an object.
  package struct Member: Sendable {
    /// The key.
    package var key: String
    /// The value.
    package var value: PhoneJSON
  }

  /// An object of these members; a value of nil is left out.
  package static func object(of members: KeyValuePairs<String, PhoneJSON?>) -> PhoneJSON {
    .object(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
  }

  /// The member of a key; setting nil removes it, and setting a new one appends it.
  package subscript(key: String) -> PhoneJSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { $0.key == key }?.value
    }
    set {
      guard case .object(var members) = self else { return }
      let index = members.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
      self = .object(members)
    }
  }

  /// The values of an array; empty for other values.
  package var elements: [PhoneJSON] {
    get {
      if case .array(let values) = self { values } else { [] }
    }
    set { self = .array(newValue) }
  }

  /// The text as kotlinx.serialization prints it with `prettyPrint`: four spaces, `"key": value`, `/` as it is.
  package var kotlin: String {
    text(indent: "    ", colon: ": ", emptyArray: "[]", escapesSlash: false, depth: 0)
  }

  /// The text as Foundation's JSONEncoder prints it with `prettyPrinted` and `sortedKeys`: two spaces,
  /// `"key" : value`, `/` as `\/`.
  package var foundation: String {
    sorted.text(indent: "  ", colon: " : ", emptyArray: "[\n\n]", escapesSlash: true, depth: 0)
  }

  private var sorted: PhoneJSON {
    switch self {
    case .object(let members):
      .object(
        members.map { Member(key: $0.key, value: $0.value.sorted) }
          .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    case .array(let values): .array(values.map(\.sorted))
    default: self
    }
  }

  private func text(
    indent: String, colon: String, emptyArray: String, escapesSlash: Bool, depth: Int
  ) -> String {
    func list(_ items: [String], _ open: String, _ close: String) -> String {
      let inner = String(repeating: indent, count: depth + 1)
      return open + "\n" + items.map { inner + $0 }.joined(separator: ",\n") + "\n"
        + String(repeating: indent, count: depth) + close
    }
    func nested(_ value: PhoneJSON) -> String {
      value.text(
        indent: indent, colon: colon, emptyArray: emptyArray, escapesSlash: escapesSlash, depth: depth + 1)
    }
    switch self {
    case .object(let members) where members.isEmpty: return "{}"
    case .object(let members):
      return list(
        members.map { Self.quoted($0.key, escapesSlash) + colon + nested($0.value) }, "{", "}")
    case .array(let values) where values.isEmpty: return emptyArray
    case .array(let values): return list(values.map(nested), "[", "]")
    case .string(let text): return Self.quoted(text, escapesSlash)
    case .number(let number): return String(number)
    case .bool(let value): return String(value)
    case .null: return "null"
    }
  }

  private static func quoted(_ text: String, _ escapesSlash: Bool) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "/" where escapesSlash: result += "\\/"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case ..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
