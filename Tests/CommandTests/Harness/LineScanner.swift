/// Splits a line of a script into words and quoted texts.
struct LineScanner {
  private var rest: Substring

  init(_ line: String) { rest = line[...].drop { $0 == " " } }

  /// The unread rest of the line, without the spaces around it.
  var remainder: String {
    String(rest.reversed().drop { $0 == " " }.reversed())
  }

  /// Reads the next word. Returns an empty text at the end.
  mutating func word() -> String {
    let word = rest.prefix { $0 != " " }
    rest = rest.dropFirst(word.count).drop { $0 == " " }
    return String(word)
  }

  /// Reads the next word or quoted text. Returns nil at the end, or if the quotes are not closed. In `'…'` each
  /// character is literal; in `"…"` there are the escapes `\n \r \t \e \\ \"` and `\x1B`.
  mutating func text() -> String? {
    guard let quote = rest.first else { return nil }
    guard quote == "'" || quote == "\"" else { return word() }
    var text = ""
    var characters = rest.dropFirst()
    while let character = characters.popFirst() {
      if character == quote {
        rest = characters.drop { $0 == " " }
        return text
      }
      guard character == "\\", quote == "\"" else {
        text.append(character)
        continue
      }
      guard let escaped = Self.escape(&characters) else { return nil }
      text.unicodeScalars.append(escaped)
    }
    return nil
  }

  private static func escape(_ characters: inout Substring) -> Unicode.Scalar? {
    switch characters.popFirst() {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "e": return "\u{1B}"
    case "\\": return "\\"
    case "\"": return "\""
    case "x":
      defer { characters = characters.dropFirst(2) }
      return UInt8(characters.prefix(2), radix: 16).map { Unicode.Scalar($0) }
    default: return nil
    }
  }
}
