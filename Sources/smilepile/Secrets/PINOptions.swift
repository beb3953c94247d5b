import ArgumentParser
import PhotoLibrary
import Secrets

/// The source of the library's PIN. Other users can see command lines, so they never contain the PIN.
struct PINOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read the PIN from the first line of this file.", valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
  var pinFile: String?

  @Option(
    help: ArgumentHelp("Read the PIN from the first line that this command prints.", valueName: "command"))
  var pinCommand: String?

  @Option(help: ArgumentHelp("Read the PIN from this open file descriptor.", valueName: "number"))
  var pinFd: Int?

  func validate() throws { _ = try source }

  /// The source of the PIN, including the environment; nil if none is given.
  var source: SecretSource? {
    get throws {
      try SecretSource.named(.pin, file: pinFile, command: pinCommand, descriptor: pinFd)
    }
  }
}

/// The source of the library's new PIN.
struct NewPINOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read the new PIN from the first line of this file.", valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
  var newPinFile: String?

  @Option(
    help: ArgumentHelp("Read the new PIN from the first line that this command prints.", valueName: "command")
  )
  var newPinCommand: String?

  @Option(help: ArgumentHelp("Read the new PIN from this open file descriptor.", valueName: "number"))
  var newPinFd: Int?

  func validate() throws { _ = try source }

  /// The source of the new PIN, including the environment; nil if none is given.
  var source: SecretSource? {
    get throws {
      try SecretSource.named(.newPIN, file: newPinFile, command: newPinCommand, descriptor: newPinFd)
    }
  }
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
