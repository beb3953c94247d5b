extension String {
  /// The number of terminal columns of the text. East Asian wide characters and emoji have two columns,
  /// combining marks none. The text must be escaped.
  var displayWidth: Int {
    // most texts are ASCII, and tables have many
    utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.displayWidth }
  }

  /// Returns the text with leading spaces, at least `columns` columns wide.
  func padded(toColumns columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - displayWidth)) + self
  }

  /// Returns the text shortened in its middle to at most `columns` columns, so that both the beginning of a
  /// name and its extension stay readable.
  func truncated(toColumns columns: Int, ellipsis: String = "…") -> String {
    guard displayWidth > columns else { return self }
    let room = columns - ellipsis.displayWidth
    guard room > 0 else { return prefix(columns: columns) }
    let tail = String(String(reversed()).prefix(columns: room / 2).reversed())
    return prefix(columns: room - tail.displayWidth) + ellipsis + tail
  }

  private func prefix(columns: Int) -> String {
    var used = 0
    return String(
      prefix {
        used += $0.displayWidth
        return used <= columns
      })
  }
}

extension Character {
  /// The number of columns of the character. A combined character (a letter with its marks, a flag, a family
  /// joined from several emoji) counts once.
  var displayWidth: Int {
    // U+FE0F selects the emoji form of a character that also has a narrow form
    if unicodeScalars.contains("\u{FE0F}") { return 2 }
    return unicodeScalars.reduce(0) { max($0, $1.displayWidth) }
  }
}

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    if isASCII { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    case .format: return value == 0xAD ? 1 : 0  // a soft hyphen is drawn
    default: return isWide ? 2 : 1
    }
  }

  /// True for Unicode's East_Asian_Width W and F, in coarse ranges. Unassigned characters in a wide block are
  /// wide, as UAX #11 advises.
  private var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0xA4CF,
      0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
      0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376,
      0x1F200...0x1F265, 0x20000...0x3FFFD:
      true
    default: properties.isEmojiPresentation
    }
  }
}
