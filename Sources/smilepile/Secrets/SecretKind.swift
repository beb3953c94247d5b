import SystemPackage

/// What is asked for, and by which names: the same code reads passwords and PINs.
struct SecretKind: Sendable, Equatable {
  /// What messages call it.
  var noun: String
  /// Its options begin with this: `--password-file`, `--password-command`, `--password-fd`, `--password-prompt`.
  var option: String
  /// Its variable in the environment.
  var variable: String

  /// The password of an archive.
  static let password = SecretKind(noun: "password", option: "--password", variable: "SMILEPILE_PASSWORD")

  /// The PIN of a library.
  static let pin = SecretKind(noun: "PIN", option: "--pin", variable: "SMILEPILE_PIN")

  /// Another PIN in the place of the library's.
  static let newPIN = SecretKind(noun: "new PIN", option: "--new-pin", variable: "SMILEPILE_NEW_PIN")

  /// Every kind, so that none is left in the environment.
  static let all = [password, pin, newPIN]
}

/// Why there is no password or PIN. Nothing in it is a part of one.
enum SecretError: Error, Equatable, CustomStringConvertible {
  /// Nobody gave one, and there is no terminal to ask at.
  case missing(SecretKind)
  /// The file cannot be read.
  case file(SecretKind, path: String, errno: CInt)
  /// The descriptor is not one that the caller opened, or cannot be read.
  case descriptor(SecretKind, CInt, errno: CInt)
  /// The command could not be started.
  case notStarted(SecretKind, errno: CInt)
  /// The command failed; 128 and the signal if it was killed.
  case commandFailed(SecretKind, status: Int)
  /// The command did not end in time.
  case commandTimeLimit(SecretKind, seconds: Int64)
  /// What should hold it begins with an empty line, or holds nothing.
  case empty(SecretKind, place: String)
  /// Its line is longer than any that could be meant, or holds a zero byte.
  case notALine(SecretKind, place: String)
  /// The terminal failed, or was closed.
  case terminal(SecretKind)
  /// The terminal does not take what is to be shown on it alone.
  case notShown
  /// What was typed the second time was something else, too often.
  case notRepeated(SecretKind)

  var description: String {
    switch self {
    case .missing(let kind):
      "no \(kind.noun) was given, and there is no terminal to ask at: use \(kind.option)-file, "
        + "\(kind.option)-command, \(kind.option)-fd or \(kind.variable)"
    case .file(let kind, let path, let errno):
      "cannot read the \(kind.noun) file \(path): \(Self.text(errno))"
    case .descriptor(let kind, let number, let errno):
      "cannot read the \(kind.noun) from descriptor \(number): \(Self.text(errno))"
    case .notStarted(let kind, let errno):
      "cannot start the command for the \(kind.noun): \(Self.text(errno))"
    case .commandFailed(let kind, let status):
      "the command for the \(kind.noun) failed with exit status \(status)"
    case .commandTimeLimit(let kind, let seconds):
      "the command for the \(kind.noun) was ended after \(seconds) s: there is no terminal at which it could ask; have "
        + "it answer by itself, or use \(kind.option)-file"
    case .empty(let kind, let place):
      "there is no \(kind.noun) in the first line of \(place)"
    case .notALine(let kind, let place):
      "the first line of \(place) is no \(kind.noun): it is too long, or holds a zero byte"
    case .terminal(let kind):
      "no \(kind.noun) was typed"
    case .notShown:
      "the terminal cannot be written to"
    case .notRepeated(let kind):
      "the two \(kind.noun)s that were typed differ"
    }
  }

  private static func text(_ errno: CInt) -> String { Errno(rawValue: errno).description }
}
