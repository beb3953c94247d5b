/// The characters of untrusted text that must not be printed as they are: controls, and characters that a reader cannot
/// see.
///
/// | character | unsafe |
/// |---|---|
/// | controls (C0, DEL, C1), line and paragraph separators | always |
/// | format characters, among them bidirectional controls, U+FEFF and U+FFF9 | always; but not those that are drawn, such as U+06DD |
/// | characters that Unicode calls default-ignorable, such as U+00AD, U+034F, U+115F, U+3164, U+E0001 | always |
/// | noncharacters, such as U+FFFE, and the blank of Braille, U+2800 | always |
/// | joiners U+200C and U+200D | except where they change what is drawn: see `isJoining` |
/// | variation selectors | except one directly after a character that has variants: see `isSelecting` |
/// | tags U+E0020–E007F | except in the flags of England, Scotland and Wales |
///
/// The exceptions keep emoji and names in Arabic, Indic, Mongolian and Han script readable. They depend only on the
/// neighbours of a character, which are safe themselves. So replacing the unsafe characters of a text twice changes
/// nothing.
package enum UnsafeScalars {
  /// Returns the text with each unsafe character replaced.
  package static func replaced(
    in text: String, with replacement: (Unicode.Scalar) -> String
  ) -> String {
    let scalars = text.unicodeScalars
    var safe = ""
    var copied = scalars.startIndex
    var next = scalars.startIndex
    while let index = firstUncommon(in: text.utf8[next...]) {
      next = scalars.index(after: index)
      guard Place(scalars, index).isUnsafe else { continue }
      // a change through the view of scalars would copy the whole text
      safe += Substring(scalars[copied..<index])
      safe += replacement(scalars[index])
      copied = next
    }
    if copied == scalars.startIndex { return text }
    safe += Substring(scalars[copied...])
    return safe
  }

  /// Returns the first character that is not common. Commands print hundreds of thousands of texts, and most consist of
  /// common characters.
  private static func firstUncommon(in text: Substring.UTF8View) -> String.Index? {
    guard let length = text.withContiguousStorageIfAvailable(lengthOfCommonCharacters) else {
      return text.isEmpty ? nil : text.startIndex
    }
    return length == text.count ? nil : text.index(text.startIndex, offsetBy: length)
  }

  /// Returns the bytes of the common characters at the start of a text. They are safe in every place and recognized by
  /// their first bytes: printable ASCII, letters of Latin, Greek and Cyrillic script, kana and Han characters, dashes,
  /// quotation marks and the ellipsis.
  private static func lengthOfCommonCharacters(_ utf8: UnsafeBufferPointer<UInt8>) -> Int {
    var index = 0
    while index < utf8.count {
      switch utf8[index] {
      case 0x20..<0x7F: index += 1
      case 0xC3...0xCC, 0xCE...0xD7: index += 2  // U+00C0–U+033F, U+0380–U+05FF
      case 0xE4...0xE9: index += 3  // U+4000–U+9FFF
      case 0xE2 where utf8[index + 1] == 0x80 && (0x90...0xA7).contains(utf8[index + 2]):
        index += 3  // U+2010–U+2027
      case 0xE3 where (0x81...0x83).contains(utf8[index + 1]): index += 3  // U+3040–U+30FF
      default: return index
      }
    }
    return index
  }

  /// A character and its neighbours.
  private struct Place {
    let scalars: String.UnicodeScalarView
    let index: String.Index

    init(_ scalars: String.UnicodeScalarView, _ index: String.Index) {
      (self.scalars, self.index) = (scalars, index)
    }

    private var scalar: Unicode.Scalar { scalars[index] }

    /// The character before this one, or the one `distance` characters before.
    private func before(_ distance: Int = 1) -> Unicode.Scalar? {
      scalars.index(index, offsetBy: -distance, limitedBy: scalars.startIndex).map { scalars[$0] }
    }

    /// The next character.
    private var after: Unicode.Scalar? {
      let next = scalars.index(after: index)
      return next < scalars.endIndex ? scalars[next] : nil
    }

    var isUnsafe: Bool {
      let scalar = scalar
      switch scalar.value {
      case ..<0x20: return true
      // letters of Latin, Greek and Cyrillic script, which most names have
      case 0x20..<0x7F, 0xAE..<0x34F, 0x370..<0x600: return false
      case 0x200C, 0x200D: return !isJoining
      case 0xFE00...0xFE0F, 0xE0100...0xE01EF, 0x180B...0x180F: return !isSelecting
      case 0xE0020...0xE007F: return !isFlagTag
      case 0x2800: return true  // a blank of Braille
      case 0x600...0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD: return false  // drawn
      default: break
      }
      let properties = scalar.properties
      if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return true }
      switch properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: return true
      default: return false
      }
    }

    /// True for U+200D between two emoji, and for a joiner where Unicode's identifiers permit one: after a virama, before
    /// a virama that follows a letter, and between two letters of Arabic or Syriac script.
    /// https://www.rfc-editor.org/rfc/rfc5892#appendix-A
    private var isJoining: Bool {
      guard let before = before() else { return false }
      if before.isVirama { return true }
      guard let after else { return false }
      if after.isVirama { return before.properties.isAlphabetic }
      if before.isCursive { return after.isCursive }
      guard scalar.value == 0x200D, after.isEmoji else { return false }
      return before.isEmoji || before.value == 0xFE0F && self.before(2)?.isEmoji == true
    }

    /// True for a variation selector directly after an emoji, the digit of a keycap, a Han or a Mongolian character.
    private var isSelecting: Bool {
      guard let before = before() else { return false }
      switch scalar.value {
      case 0xFE0E, 0xFE0F: return before.isEmoji || before.properties.isEmoji && after?.value == 0x20E3
      case 0x180B...0x180F: return (0x1820...0x18AA).contains(before.value)
      default: return before.properties.isIdeographic
      }
    }

    /// True for a tag of one of the flags: a black flag, the letters of a region, and the end.
    private var isFlagTag: Bool {
      (1...UnsafeScalars.flagLength).contains { distance in
        guard before(distance)?.value == 0x1F3F4,
          let start = scalars.index(index, offsetBy: 1 - distance, limitedBy: scalars.startIndex)
        else { return false }
        let tags = scalars[start...].prefix(UnsafeScalars.flagLength).map(\.value)
        return UnsafeScalars.flags.contains(tags)
      }
    }
  }

  /// The tags of the flags that Unicode recommends for general interchange.
  private static let flags = ["gbeng", "gbsct", "gbwls"].map { region in
    region.unicodeScalars.map { $0.value + 0xE0000 } + [0xE007F]
  }

  /// The number of tags of a flag.
  private static let flagLength = 6
}

extension Unicode.Scalar {
  /// True for an emoji beyond ASCII; digits are emoji only in keycaps.
  fileprivate var isEmoji: Bool { !isASCII && properties.isEmoji }

  /// True for a sign that joins two consonants of an Indic script.
  fileprivate var isVirama: Bool { properties.canonicalCombiningClass == .virama }

  /// True for a letter of Arabic or Syriac script, whose letters join their neighbours.
  fileprivate var isCursive: Bool {
    switch value {
    case 0x620...0x64A, 0x66E...0x6D3, 0x6D5, 0x6EE...0x6FC, 0x6FF, 0x710...0x74A, 0x74D...0x7EA,
      0x840...0x88E,
      0x8A0...0x8C9, 0xFB50...0xFBB1, 0xFE70...0xFEFC:
      true
    default: false
    }
  }
}
