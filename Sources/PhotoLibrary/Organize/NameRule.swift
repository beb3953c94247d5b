import Foundation

/// What a person may call a category or a photo.
package enum NameRule {
  /// The greatest length of a name, in bytes of UTF-8: that of a file name on Linux.
  static let maximumBytes = 255

  /// Why a name is refused.
  package enum Fault: Sendable, Equatable {
    /// It has no visible characters.
    case blank
    /// It is longer than 255 bytes of UTF-8; its length.
    case tooLong(Int)
    /// It contains this control character, or this character that changes the direction of the text around it.
    case controlCharacter(Unicode.Scalar)
  }

  /// Returns why a name is refused; nil if it is valid.
  package static func fault(in name: String) -> Fault? {
    if name.utf8.count > maximumBytes { return .tooLong(name.utf8.count) }
    if let scalar = name.unicodeScalars.first(where: isRefused) { return .controlCharacter(scalar) }
    let isBlank = name.unicodeScalars.lazy.map(\.properties).allSatisfy { properties in
      properties.isWhitespace || properties.isDefaultIgnorableCodePoint
    }
    return isBlank ? .blank : nil
  }

  /// Returns a valid name as it is stored: in NFC, without white space at its ends.
  static func stored(_ name: String) -> String {
    name.trimmingCharacters(in: .whitespaces).precomposedStringWithCanonicalMapping
  }

  /// Returns what two names have in common that a person cannot tell apart: NFC, without case and without invisible
  /// characters.
  static func folded(_ name: String) -> String {
    let visible = stored(name).unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
    // upper case first: “ß” and “SS”, and “ﬁ” and “FI”, have one lower case only then
    return String(String.UnicodeScalarView(visible)).uppercased().lowercased()
      .precomposedStringWithCanonicalMapping
  }

  /// Controls, line and paragraph separators, and the characters that reverse the text after them. Marks of a direction
  /// such as U+200F are part of names in Arabic and Hebrew.
  private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
  }
}

extension NameRule.Fault: CustomStringConvertible {
  /// Completes “the name …”.
  package var description: String {
    switch self {
    case .blank: "is blank"
    case .tooLong(let bytes):
      "has \(bytes) bytes in UTF-8; \(NameRule.maximumBytes) are possible"
    case .controlCharacter(let scalar):
      "contains the control character U+" + String(format: "%04X", scalar.value)
    }
  }
}
