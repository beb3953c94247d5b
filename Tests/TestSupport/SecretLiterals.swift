import Secrets

/// Passwords in tests are written as they are. Not so in the program, where a password in the source is a mistake.
extension Secret: ExpressibleByStringLiteral {
  /// The password that a literal spells.
  public init(stringLiteral text: String) { self.init(text) }
}
