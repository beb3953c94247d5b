extension String {
  /// The text with all characters escaped that a reader of a message cannot see, or that could move a terminal's cursor,
  /// change its colours or change the writing direction. Names come from untrusted archives, and must not be able to forge
  /// a message.
  ///
  /// A line feed becomes `\n`, a tab `\t`, a carriage return `\r`, and another such character for example `\u{1B}`.
  /// `UnsafeScalars` has the rule. Escaping twice changes nothing.
  package var escaped: String { UnsafeScalars.replaced(in: self, with: Self.escape) }

  /// The lines of a text with all characters escaped as by `escaped`, except line feeds and tabs.
  package var escapedLines: String {
    // tables have many lines of plain ASCII
    guard utf8.contains(where: { $0 < 0x20 && $0 != 0x0A || $0 >= 0x7F }) else { return self }
    return UnsafeScalars.replaced(in: self) { $0 == "\n" || $0 == "\t" ? String($0) : Self.escape($0) }
  }

  /// A JSON document with the same values that is safe to print: the characters that `escaped` escapes become JSON's
  /// `\u` escapes, except line feeds and tabs between its tokens. The receiver must be valid JSON, in which such characters
  /// occur only in strings.
  package var escapedJSON: String {
    guard utf8.contains(where: { $0 >= 0x7F }) else { return self }
    return UnsafeScalars.replaced(in: self) { scalar in
      if scalar == "\n" || scalar == "\t" || scalar == "\r" { return String(scalar) }
      return UTF16.encode(scalar).map { units in
        units.map { unit in
          let hex = String(unit, radix: 16)
          return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }.joined()
      } ?? ""
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }
}
