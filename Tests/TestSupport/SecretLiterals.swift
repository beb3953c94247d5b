import Secrets

/// Tests may write passwords as literals. The program may not, since a password in its source is a mistake.
extension Secret: ExpressibleByStringLiteral {
  /// The password that a literal spells.
  public init(stringLiteral text: String) { self.init(text) }
}
