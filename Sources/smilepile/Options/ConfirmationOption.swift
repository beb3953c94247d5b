import ArgumentParser
import FileSystem
import Foundation
import PhotoLibrary
import Synchronization
import SystemPackage

/// Confirms destructive operations: by `--yes`, by the user at the terminal, by the library's PIN.
struct ConfirmationOption: ParsableArguments {
  @Flag(
    name: .shortAndLong,
    help:
      "Do not ask before photos, categories or protections are removed. A PIN is still required.")
  var yes = false

  @OptionGroup var pin: PINOptions

  /// Returns an authorization that asks the user at the terminal. A PIN that the user types at the question
  /// confirms the operation. A PIN from a file, command, descriptor or variable does not.
  ///
  /// - Parameter library: the library that the operations change.
  func authorization(_ reporter: Reporter, for library: FilePath) throws -> Authorization {
    let (yes, source) = (yes, try pin.source)
    // a descriptor gives the PIN once, but an operation may ask for the PIN again
    let given = Mutex<PIN?>(nil)
    return Authorization(
      pin: { operation in
        let question = "PIN to \(operation.description)"
        guard let source else {
          guard TerminalPrompt.isPossible else { return nil }
          return try Console.standard.withoutStatus {
            try PIN.read(from: nil, .pin, question: question, warn: reporter.warnOfSecret)
          }
        }
        guard try yes || Self.ask(operation) else { throw AuthorizationError.notConfirmed(library) }
        if let pin = given.withLock({ $0 }) { return pin }
        let pin = try Console.standard.withoutStatus {
          try PIN.read(from: source, .pin, question: question, warn: reporter.warnOfSecret)
        }
        given.withLock { $0 = pin }
        return pin
      },
      confirms: { try yes || Self.ask($0) })
  }

  /// Asks the user to confirm an operation.
  ///
  /// - Throws: `ValidationError` if there is no terminal; `CancellationError` after a signal.
  private static func ask(_ operation: DestructiveOperation) throws -> Bool {
    let question = operation.description.escaped
    guard isTerminal else {
      throw ValidationError("cannot ask for a confirmation without a terminal: \(question); use --yes")
    }
    return try answer(question)
  }

  /// Asks the user at the terminal. Returns true for yes.
  ///
  /// - Parameter question: an escaped text without a question mark.
  /// - Throws: `CancellationError` after a signal.
  static func answer(_ question: String) throws -> Bool {
    // discards input before the question
    tcflush(STDIN_FILENO, TCIFLUSH)
    let answer = Console.standard.ask("\(question)? [y/N] ", isCancelled: { Signals.received != nil })
    if Signals.received != nil { throw CancellationError() }
    return ["y", "yes"].contains(answer?.trimmingCharacters(in: .whitespaces).lowercased())
  }

  /// True if the program can ask the user.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}
