import PhotoLibrary
import Secrets

/// The source of the library's PIN.
typealias PINOptions = SecretOptions<LibraryPIN>

/// The source of the library's new PIN.
typealias NewPINOptions = SecretOptions<NewLibraryPIN>

enum LibraryPIN: NamedSecret {
  static let kind = SecretKind.pin
}

enum NewLibraryPIN: NamedSecret {
  static let kind = SecretKind.newPIN
}

extension PIN {
  /// Reads the PIN from a source, or asks the user at the terminal. Blocks.
  ///
  /// - Parameter chooses: true for a new PIN, which the user types twice.
  /// - Throws: `PINError.notAPIN` if the text is not four to six digits; `SecretError`.
  static func read(
    from source: SecretSource?, _ kind: SecretKind, question: String, chooses: Bool = false,
    warn: (String) -> Void
  ) throws -> PIN {
    let secret: Secret
    if let source {
      secret = try source.read(kind, question: question, warn: warn)
    } else if chooses {
      secret = try TerminalPrompt.askTwice(question, kind) { PIN($0) == nil ? "\(PINError.notAPIN)" : nil }
    } else {
      secret = try TerminalPrompt.ask(question, kind)
    }
    guard let pin = PIN(secret) else { throw PINError.notAPIN }
    return pin
  }
}
