import Foundation

/// A pattern for names as a shell has them: `*`, `?` and `[a-z]`, over the whole name. A backslash is a letter like any
/// other, since names may hold one; `[*]` finds a star. Both are compared in NFC, so that it does not matter how an
/// accent was typed.
public struct NamePattern: Sendable, CustomStringConvertible {
  private let text: String

  /// Made once, and neither changed nor freed.
  private nonisolated(unsafe) static let locale = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

  /// Takes any text; one without `*`, `?` and `[` is a name.
  public init(_ text: String) { self.text = text.precomposedStringWithCanonicalMapping }

  /// Whether a name matches. fnmatch(3), with characters and not bytes.
  public func matches(_ name: String) -> Bool {
    let name = name.precomposedStringWithCanonicalMapping
    guard let locale = Self.locale else { return text == name }
    let previous = uselocale(locale)
    defer { uselocale(previous) }
    return fnmatch(text, name, FNM_NOESCAPE) == 0
  }

  /// The pattern.
  public var description: String { text }
}
