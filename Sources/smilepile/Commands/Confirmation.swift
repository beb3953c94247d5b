import ArgumentParser
import Foundation
import PhotoLibrary

/// `--yes`, for commands that take photos away.
struct ConfirmationOption: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Do not ask; a PIN is asked for all the same.")
  var yes = false

  /// Asks the person at the terminal; where there is none, nobody has confirmed anything.
  var consent: Consent {
    let yes = yes
    return Consent(
      pin: { _ in nil },
      confirms: { deed in
        if yes { return true }
        guard Self.isTerminal else {
          throw ValidationError("\(deed.description.escaped)? There is no terminal to ask at; use --yes")
        }
        let answer = Console.standard.ask(
          "\(deed.description.escaped)? [y/N] ", isCancelled: { Signals.received != nil })
        return ["y", "yes"].contains(answer?.trimmingCharacters(in: .whitespaces).lowercased())
      })
  }

  /// Whether somebody can be asked.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}
