import Operations
import Processes
import SystemPackage

/// A kind of secret and its names. Passwords and PINs share the code that reads them.
struct SecretKind: Sendable, Equatable {
  /// The name of the secret in messages.
  var noun: String
  /// The first word of its options: `password` in `--password-file`, `--password-command`, `--password-fd` and
  /// `--password-prompt`.
  var name: String
  /// The name of its environment variable.
  var variable: String
  /// The name with two hyphens before it.
  var option: String { "--\(name)" }

  /// The password of an archive.
  static let password = SecretKind(noun: "password", name: "password", variable: "SMILEPILE_PASSWORD")

  /// The PIN of a library.
  static let pin = SecretKind(noun: "PIN", name: "pin", variable: "SMILEPILE_PIN")

  /// The new PIN of a library.
  static let newPIN = SecretKind(noun: "new PIN", name: "new-pin", variable: "SMILEPILE_NEW_PIN")

  /// All kinds, so that none is left in the environment.
  static let all = [password, pin, newPIN]
}

/// Why a password or PIN could not be read. Errors never contain a part of the secret.
enum SecretError: ExplainedError, Equatable, CustomStringConvertible {
  /// The user gave no secret, and there is no terminal to ask at.
  case missing(SecretKind)
  /// The source, such as `the PIN file /a/b`, cannot be read.
  case unreadable(String, Errno)
  /// The command could not be started, failed, or exceeded the time limit.
  case command(SecretKind, ChildProcess.Failure)
  /// The source is empty or begins with an empty line.
  case empty(source: String)
  /// The line is too long or has a zero byte.
  case notALine(SecretKind, source: String)
  /// The terminal failed or was closed.
  case terminal(SecretKind)
  /// The secret could not be written to the terminal.
  case notShown
  /// The user typed two different secrets too often.
  case notRepeated(SecretKind)

  var cause: ErrorCause { .password }

  var description: String {
    switch self {
    case .missing(let kind):
      "no \(kind.noun) was given, and there is no terminal; use \(kind.option)-file, "
        + "\(kind.option)-command, \(kind.option)-fd or \(kind.variable)"
    case .unreadable(let source, let errno): "cannot read \(source): \(errno)"
    case .command(let kind, .notRun(let errno)):
      "cannot start the command for the \(kind.noun): \(Errno(rawValue: errno))"
    case .command(let kind, .timeLimit(let limit)):
      "the command for the \(kind.noun) \(ChildProcess.Failure.timeLimit(limit)), because it printed nothing and there "
        + "is no terminal; use \(kind.option)-file"
    case .command(let kind, let failure): "the command for the \(kind.noun) \(failure)"
    case .empty(let source):
      "the first line of \(source) is empty"
    case .notALine(let kind, let source):
      "the first line of \(source) is not a \(kind.noun): it is too long, or contains a zero byte"
    case .terminal(let kind):
      "no \(kind.noun) was typed"
    case .notShown:
      "cannot write to the terminal"
    case .notRepeated(let kind):
      "the two \(kind.noun)s that were typed differ"
    }
  }
}
