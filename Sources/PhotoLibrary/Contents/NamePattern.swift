import Foundation

/// A shell pattern for a whole name: `*`, `?` and `[a-z]`. A backslash is an ordinary character, since names may have
/// one; `[*]` matches an asterisk. Pattern and name are compared in NFC.
public struct NamePattern: Sendable, CustomStringConvertible {
  private let text: String

  /// Never changed or freed, so it is safe to share.
  private nonisolated(unsafe) static let locale = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

  /// Accepts any text. Text without `*`, `?` and `[` matches itself.
  public init(_ text: String) { self.text = text.precomposedStringWithCanonicalMapping }

  /// Returns true if a name matches: fnmatch(3), by characters instead of bytes.
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
