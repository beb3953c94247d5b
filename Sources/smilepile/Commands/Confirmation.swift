import ArgumentParser
import FileSystem
import Foundation
import PhotoLibrary
import Synchronization

/// How commands that take photos away are confirmed: by `--yes`, by a person at the terminal, by the library's PIN.
struct ConfirmationOption: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Do not ask; a PIN is asked for all the same.")
  var yes = false

  @OptionGroup var pin: PINOptions

  /// Asks the person at the terminal; where there is none, nobody has confirmed anything.
  func consent(_ reporter: Reporter) throws -> Consent {
    let (yes, source) = (yes, try pin.source)
    // a descriptor gives it once, and a deed may be asked for again
    let given = Mutex<PIN?>(nil)
    return Consent(
      pin: { deed in
        guard source != nil || TerminalPrompt.isPossible else { return nil }
        if let pin = given.withLock({ $0 }) { return pin }
        let pin = try Console.standard.withoutStatus {
          try PIN.read(
            from: source, .pin, question: "PIN, to \(deed.description)", warn: reporter.warnOfSecret)
        }
        if source != nil { given.withLock { $0 = pin } }
        return pin
      },
      confirms: { deed in
        if yes { return true }
        guard Self.isTerminal else {
          throw ValidationError("\(deed.description.escaped)? There is no terminal to ask at; use --yes")
        }
        // what was typed before the question is no answer to it
        tcflush(STDIN_FILENO, TCIFLUSH)
        let answer = Console.standard.ask(
          "\(deed.description.escaped)? [y/N] ", isCancelled: { Signals.received != nil })
        if Signals.received != nil { throw CancellationError() }
        return ["y", "yes"].contains(answer?.trimmingCharacters(in: .whitespaces).lowercased())
      })
  }

  /// Whether somebody can be asked.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}
