/// Checks names of entries, in archives that are read and written.
package enum EntryName {
  /// The longest component, in bytes of UTF-8: NAME_MAX.
  static let maximumComponentBytes = 255

  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// Every rule with its test. The first broken rule is reported. The trailing slash of a directory (APPNOTE 4.3.8) is
  /// removed before the tests.
  static let rules: [(problem: NameProblem, isBroken: @Sendable (Bytes) -> Bool)] = [
    (.empty, { $0.isEmpty }),
    (.nul, { $0.contains(0) }),
    (.controlCharacter, hasControlCharacter),
    (.backslash, { $0.contains(UInt8(ascii: "\\")) }),
    (.absolute, { $0.first == UInt8(ascii: "/") }),
    (.driveLetter, hasDriveLetter),
    (.parentComponent, { anyComponent($0) { part, _ in part.elementsEqual("..".utf8) } }),
    (.dotComponent, { anyComponent($0) { part, isFirst in !isFirst && part.elementsEqual(".".utf8) } }),
    (.dotComponent, { $0.elementsEqual(".".utf8) }),
    (.emptyComponent, { anyComponent($0) { part, _ in part.isEmpty } }),
    (.longComponent, { anyComponent($0) { part, _ in part.count > maximumComponentBytes } }),
  ]

  /// Returns why a name is refused; nil if it is valid.
  package static func problem(of name: String) -> NameProblem? {
    var name = name
    return name.withUTF8 { problem(ofUTF8: $0) }
  }

  private static let dot = UInt8(ascii: ".")
  private static let slash = UInt8(ascii: "/")

  private static func problem(ofUTF8 bytes: Bytes) -> NameProblem? {
    // `bsdtar .` writes this entry for the folder itself
    if bytes.elementsEqual("./".utf8) { return nil }
    let isDirectory = bytes.count > 1 && bytes[bytes.count - 1] == slash
    let name = isDirectory ? Bytes(rebasing: bytes.dropLast()) : bytes
    if name.count <= maximumComponentBytes, isPlain(name) { return nil }
    return rules.first { $0.isBroken(name) }?.problem
  }

  /// Accepts most names in one pass: printable ASCII that certainly breaks no rule. The table decides the rest.
  private static func isPlain(_ name: Bytes) -> Bool {
    var previous = slash
    for byte in name {
      // a dot or a slash after a slash may begin `.`, `..` or an empty component
      if previous == slash && (byte == dot || byte == slash) { return false }
      if byte < 0x20 || byte > 0x7E { return false }
      if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: ":") { return false }
      previous = byte
    }
    return previous != slash
  }

  private static func hasControlCharacter(_ name: Bytes) -> Bool {
    var previous: UInt8 = 0
    for byte in name {
      if byte < 0x20 || byte == 0x7F { return true }
      // U+0080 to U+009F are C2 80 to C2 9F in UTF-8
      if previous == 0xC2 && byte < 0xA0 { return true }
      previous = byte
    }
    return false
  }

  private static func hasDriveLetter(_ name: Bytes) -> Bool {
    guard name.count >= 2, name[1] == UInt8(ascii: ":") else { return false }
    let letter = name[0] | 0x20
    return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
  }

  /// Returns true if any component passes a test. The second argument of the test is true for the first component.
  private static func anyComponent(_ name: Bytes, _ test: (Slice<Bytes>, Bool) -> Bool) -> Bool {
    var start = 0
    for index in 0...name.count where index == name.count || name[index] == slash {
      if test(name[start..<index], start == 0) { return true }
      start = index + 1
    }
    return false
  }
}
