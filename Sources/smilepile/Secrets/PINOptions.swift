import ArgumentParser
import PhotoLibrary
import Secrets

/// The library's PIN, from a place that others cannot look into; never from the command line.
struct PINOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The PIN is the first line of this file.", valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
  var pinFile: String?

  @Option(help: ArgumentHelp("The PIN is the first line that this prints.", valueName: "command"))
  var pinCommand: String?

  @Option(help: ArgumentHelp("The PIN comes from this open descriptor.", valueName: "number"))
  var pinFd: Int?

  func validate() throws { _ = try source }

  /// Where it comes from, the environment included; nil if nobody said.
  var source: SecretSource? {
    get throws {
      try SecretSource.named(.pin, file: pinFile, command: pinCommand, descriptor: pinFd)
    }
  }
}

/// Another PIN in the place of the library's.
struct NewPINOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The new PIN is the first line of this file.", valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
  var newPinFile: String?

  @Option(help: ArgumentHelp("The new PIN is the first line that this prints.", valueName: "command"))
  var newPinCommand: String?

  @Option(help: ArgumentHelp("The new PIN comes from this open descriptor.", valueName: "number"))
  var newPinFd: Int?

  func validate() throws { _ = try source }

  /// Where it comes from, the environment included; nil if nobody said.
  var source: SecretSource? {
    get throws {
      try SecretSource.named(.newPIN, file: newPinFile, command: newPinCommand, descriptor: newPinFd)
    }
  }
}

extension PIN {
  /// The PIN that a source gives, or a person at the terminal. Blocks.
  ///
  /// - Parameter chooses: the person makes it up, and is asked twice.
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
