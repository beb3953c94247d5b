/// A style sheet made of literals of the program, of colours and of numbers: no text of a user can end it.
package struct StyleSheet: Sendable, Equatable, ExpressibleByStringLiteral {
  /// The value of a custom property.
  package enum Value: Sendable {
    case color(Color)
    case percent(Int)

    fileprivate var text: String {
      switch self {
      case .color(let color): "\(color)"
      case .percent(let number): "\(number)%"
      }
    }
  }

  /// The rules so far.
  package private(set) var source: String

  /// Makes a style sheet of a literal.
  package init(stringLiteral rules: StaticString) { source = "\(rules)" }

  /// Appends rules.
  package mutating func append(_ rules: StaticString) { source += "\(rules)" }

  /// Appends a rule with custom properties.
  package mutating func append(_ selector: StaticString, _ properties: KeyValuePairs<StaticString, Value>) {
    source += "\(selector){"
    for (name, value) in properties { source += "--\(name):\(value.text);" }
    source += "}"
  }
}
