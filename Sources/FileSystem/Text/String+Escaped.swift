extension String {
  /// The text with all characters escaped that could move a terminal's cursor, change its colours or change the writing
  /// direction. Names come from untrusted archives, and must not be able to forge a message.
  ///
  /// A line feed becomes `\n`, a tab `\t`, a carriage return `\r`, and another such character for example `\u{1B}`.
  /// Joiners are kept, since emoji and several scripts need them. Escaping twice changes nothing.
  package var escaped: String {
    guard unicodeScalars.contains(where: \.isUnsafeInMessages) else { return self }
    var safe = ""
    for scalar in unicodeScalars {
      switch scalar {
      case _ where !scalar.isUnsafeInMessages: safe.unicodeScalars.append(scalar)
      case "\n": safe += "\\n"
      case "\t": safe += "\\t"
      case "\r": safe += "\\r"
      default: safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return safe
  }
}

extension Unicode.Scalar {
  /// True for controls (C0, DEL, C1), line and paragraph separators, bidirectional controls, and zero-width characters
  /// that are not joiners.
  fileprivate var isUnsafeInMessages: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
    default: false
    }
  }
}
