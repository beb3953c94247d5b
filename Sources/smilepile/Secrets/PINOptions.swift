import ArgumentParser
import PhotoLibrary
import Secrets

/// The source of the library's PIN. Command lines are visible to other users, and never contain it.
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

  /// Where it comes from, the environment included; nil if there is none.
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

  /// Where it comes from, the environment included; nil if there is none.
  var source: SecretSource? {
    get throws {
      try SecretSource.named(.newPIN, file: newPinFile, command: newPinCommand, descriptor: newPinFd)
    }
  }
}

extension PIN {
  /// The PIN that a source gives, or a person at the terminal. Blocks.
  ///
  /// - Parameter chooses: the PIN is a new one; ask twice.
  /// - Throws: `PINError.notAPIN` for anything else than four to six digits; `SecretError`.
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
