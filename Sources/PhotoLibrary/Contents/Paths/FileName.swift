import FileSystem

/// The rules for names of photo files, in the library and in archives. Every name from a backup is converted by them
/// before it is used.
package enum FileName {
  /// The maximum length of a name on Linux file systems, in UTF-8 bytes.
  package static let maximumBytes = 255

  /// Returns the part after the last `/` or `\`, without decoding.
  package static func lastComponent(of path: String) -> String {
    // bytes, since a slash and a combining mark after it would be one character
    let isSeparator = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
    guard let last = path.utf8.lastIndex(where: { !isSeparator($0) }) else { return "" }
    let end = path.utf8.index(after: last)
    let start = path.utf8[..<end].lastIndex(where: isSeparator).map { path.utf8.index(after: $0) }
    return String(path.unicodeScalars[(start ?? path.startIndex)..<end])
  }

  /// Returns a name that every file system accepts and no program takes for a path or an option: control characters and
  /// `/ \ : * ? " < > |` become `_`, as do leading dots and dashes; invisible and bidirectional characters are dropped, as
  /// `UnsafeScalars` defines them; trailing dots and spaces are removed; an empty name becomes `photo`. At most `limit`
  /// UTF-8 bytes, the extension kept.
  package static func safe(_ name: String, limit: Int = maximumBytes) -> String {
    if name.utf8.count <= limit, isPlain(name) { return name }
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      let isUnsafe =
        scalar.properties.generalCategory == .control || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
      scalars.append(isUnsafe ? "_" : scalar)
    }
    scalars = withoutInvisible(String(scalars)).unicodeScalars
    while let last = scalars.last, last == "." || last == " " { scalars.removeLast() }
    if let first = scalars.first, first == "." || first == "-" {
      scalars.replaceSubrange(..<scalars.index(after: scalars.startIndex), with: ["_"])
    }
    if scalars.isEmpty { return "photo" }
    return shortened(String(withoutTwoDots(scalars)), limit: limit)
  }

  /// Returns true if a name is safe without further checks, as most names are: ASCII letters, digits, `_`, and single
  /// dots and dashes between them.
  private static func isPlain(_ name: String) -> Bool {
    var previous = UInt8(ascii: ".")
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        break
      case UInt8(ascii: "."), UInt8(ascii: "-"):
        if previous == UInt8(ascii: ".") { return false }
      default: return false
      }
      previous = byte
    }
    return previous != UInt8(ascii: ".")
  }

  private static func withoutInvisible(_ name: String) -> String {
    UnsafeScalars.replaced(in: name) { _ in "" }
  }

  /// A dot that another one follows becomes `_`: the last one may begin the extension. Scalars are compared and not
  /// characters: a dot that carries an accent is another character, and still a dot to most programs.
  private static func withoutTwoDots(_ scalars: String.UnicodeScalarView) -> String.UnicodeScalarView {
    var result = String.UnicodeScalarView()
    for scalar in scalars {
      if scalar == ".", result.last == "." {
        result.removeLast()
        result.append("_")
      }
      result.append(scalar)
    }
    return result
  }

  /// Returns the name with `suffix` before its extension, at most `limit` UTF-8 bytes.
  package static func inserting(_ suffix: String, into name: String, limit: Int = maximumBytes) -> String {
    let (stem, ending) = split(name)
    let room = limit - suffix.utf8.count - ending.utf8.count
    return prefix(of: stem, bytes: room) + suffix + ending
  }

  /// Returns the name, truncated before its extension if it is longer than `limit` UTF-8 bytes.
  static func shortened(_ name: String, limit: Int) -> String {
    guard name.utf8.count > limit else { return name }
    let (stem, ending) = split(name)
    var cut = prefix(of: stem, bytes: limit - ending.utf8.count).unicodeScalars
    // neither a name nor a stem may end in a dot or a space
    while let last = cut.last, last == "." || last == " " { cut.removeLast() }
    return (cut.isEmpty ? "photo" : String(cut)) + ending
  }

  /// Returns the stem, and the extension with its dot. An extension has at most 16 bytes.
  private static func split(_ name: String) -> (stem: Substring, ending: Substring) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
      name[dot...].utf8.count <= 17
    else { return (name[...], "") }
    return (name[..<dot], name[dot...])
  }

  /// Returns as many whole characters as fit; if not even the first fits, as many scalars.
  private static func prefix(of text: Substring, bytes: Int) -> String {
    var end = text.startIndex
    while end < text.endIndex, text[...end].utf8.count <= bytes { end = text.index(after: end) }
    if end > text.startIndex { return String(text[..<end]) }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where String(scalars).utf8.count + UTF8.width(scalar) <= bytes {
      scalars.append(scalar)
    }
    // a joiner whose neighbour is cut off joins nothing
    return withoutInvisible(String(scalars))
  }
}
