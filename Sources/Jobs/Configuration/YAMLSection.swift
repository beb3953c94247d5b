import Yams

/// A mapping of a configuration file. Keys that the reader requests are known; all other keys are mistakes.
struct YAMLSection {
  /// The name of the section in messages: “retention”.
  let name: String
  let line: Int
  private(set) var faults: [ConfigurationFault] = []
  private var values: [(key: String, line: Int, node: Node)] = []
  private var known: [String] = []

  /// Makes a section. Returns nil and reports a mistake if the node is not a mapping.
  init?(_ node: Node, name: String, fault: (ConfigurationFault) -> Void) {
    self.name = name
    line = node.line
    guard let mapping = node.mapping else {
      fault(ConfigurationFault(line: line, message: "\(name) must be a list of “key: value” lines"))
      return nil
    }
    // `ConfigurationSyntax` has refused keys that are no text, and keys that appear twice
    values = mapping.compactMap { key, value in key.scalar.map { ($0.string, key.line, value) } }
  }

  /// All keys with their values, for a section whose keys are names.
  var all: [(key: String, line: Int, node: Node)] { values }

  /// Returns true if the section has a key, with or without a value.
  func has(_ key: String) -> Bool { values.contains { $0.key == key } }

  mutating func fault(_ line: Int, _ message: String) {
    faults.append(ConfigurationFault(line: line, message: message))
  }

  /// Returns the value of a key; nil if the key is missing or has no value.
  mutating func node(_ key: String) -> Node? {
    known.append(key)
    guard let value = values.first(where: { $0.key == key })?.node else { return nil }
    if value.isEmpty {
      fault(
        value.line, "“\(key)” has no value" + (key == "jobs" ? "; write for example “family:” below it" : ""))
      return nil
    }
    return value
  }

  /// Reports unknown keys. The caller calls this after requesting all known keys.
  mutating func finish() {
    let unused = known.filter { key in !values.contains { $0.key == key } }
    for (key, line, _) in values where !known.contains(key) {
      let guess = Spelling.nearest(to: key, among: unused).map { "; did you mean “\($0)”?" }
      fault(
        line, "unknown key “\(key)” in \(name)" + (guess ?? "; known keys: \(known.joined(separator: ", "))"))
    }
  }

  // MARK: Values

  /// Reads a value. Returns nil if the key is missing, and reports a mistake if `read` returns nil.
  ///
  /// - Parameter form: what the value must be, for the message.
  private mutating func value<Value>(_ key: String, _ form: String, _ read: (Node) -> Value?) -> Value? {
    guard let node = node(key) else { return nil }
    let value = read(node)
    if value == nil { fault(node.line, "“\(key)” must be \(form)") }
    return value
  }

  /// Reads a text of which `parse` makes a value. Reports a mistake if `parse` returns nil.
  ///
  /// - Parameter form: what the text must be, for the message.
  mutating func parsedText<Value>(_ key: String, _ form: String, _ parse: (String) -> Value?) -> Value? {
    guard let text = text(key) else { return nil }
    let value = parse(text)
    if value == nil { fault(key, "must be \(form)") }
    return value
  }

  mutating func text(_ key: String) -> String? {
    value(key, "text") { $0.scalar.flatMap { $0.string.isEmpty ? nil : $0.string } }
  }

  /// Reads a text or a list of texts.
  mutating func texts(_ key: String) -> [String]? {
    value(key, "text, or a list of texts") { node in
      let nodes = node.sequence.map(Array.init) ?? [node]
      let texts = nodes.compactMap { $0.scalar?.string }.filter { !$0.isEmpty }
      return texts.count == nodes.count ? texts : nil
    }
  }

  mutating func flag(_ key: String) -> Bool? { value(key, "true or false") { Self.flag($0) } }

  private static func flag(_ node: Node) -> Bool? {
    switch node.scalar?.string.lowercased() {
    case "true", "yes", "on": true
    case "false", "no", "off": false
    default: nil
    }
  }

  /// What a key says that turns something on, or describes it in a section.
  enum Switch {
    case off
    case on
    case section(Node)
  }

  /// Reads a boolean or a section; `off` if the key is missing.
  ///
  /// - Parameter example: a line of the section, for the message.
  mutating func `switch`(_ key: String, example: String) -> Switch {
    value(key, "true or false, or have “\(example)” below it") { node in
      node.mapping != nil ? .section(node) : Self.flag(node).map { $0 ? .on : .off }
    } ?? .off
  }

  mutating func number(_ key: String, in range: ClosedRange<Int>) -> Int? {
    let bounds =
      range.upperBound == .max
      ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    return value(key, "an integer \(bounds)") { node in
      node.scalar.flatMap { Int($0.string) }.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Reads a number of seconds, or a number with the unit s, m or h.
  mutating func seconds(_ key: String) -> Double? {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
    return value(key, "a duration, for example 90, 90s, 15m or 2h") { node in
      guard let text = node.scalar?.string else { return nil }
      let unit = text.last.flatMap { units[$0] }
      let number = Double(unit == nil ? text : String(text.dropLast()))
      return number.flatMap { (0...1e9).contains($0) ? $0 * (unit ?? 1) : nil }
    }
  }
}

extension Node {
  /// The line, from 1; 0 if unknown.
  var line: Int { mark?.line ?? 0 }

  /// True for `key:` without a value.
  fileprivate var isEmpty: Bool {
    guard let scalar else { return false }
    return scalar.style == .plain && ["", "~", "null"].contains(scalar.string)
  }
}
