import ArgumentParser
import Backup
import FileSystem
import Foundation
import Synchronization

/// The values of `--duplicates`.
enum DuplicateChoice: String, CaseIterable, ExpressibleByArgument {
  case skip, replace, rename, ask

  /// Checks that the program can ask the user if it must.
  ///
  /// - Throws: `ValidationError` for `ask` without a terminal.
  func checkTerminal() throws {
    guard self != .ask || ConfirmationOption.isTerminal else {
      throw ValidationError("--duplicates ask needs a terminal; choose skip, replace or rename")
    }
  }

  /// The rule for an import.
  var rule: @Sendable (Duplicate) -> DuplicateRule {
    if let rule = DuplicateRule(rawValue: rawValue) { return { _ in rule } }
    let question = DuplicateQuestion()
    return { question.answer(for: $0) }
  }
}

/// Asks the user about each duplicate, until an answer applies to all.
private final class DuplicateQuestion: Sendable {
  private let answerForAll = Mutex<DuplicateRule?>(nil)

  func answer(for duplicate: Duplicate) -> DuplicateRule {
    if let rule = answerForAll.withLock({ $0 }) { return rule }
    let name = duplicate.incoming.name.escaped
    let category = duplicate.category.displayName.escaped
    let existing = duplicate.existing.name.escaped
    Console.standard.print(
      "“\(name)” already exists in “\(category)” as “\(existing)” (photo \(duplicate.existing.id)).",
      to: .error)
    while true {
      let line = Console.standard.ask(
        "[s]kip, [r]eplace name and date, add a [c]opy; capital letter for all: ",
        isCancelled: { Signals.received != nil })
      guard let line else {
        // the input has ended, or a signal has cancelled the import, which then discards the plan
        answerForAll.withLock { $0 = .skip }
        return .skip
      }
      let rule: DuplicateRule? =
        switch line.trimmingCharacters(in: .whitespaces).lowercased() {
        case "s", "skip": .skip
        case "r", "replace": .replace
        case "c", "copy", "rename": .rename
        default: nil
        }
      guard let rule else { continue }
      if line.first(where: \.isLetter)?.isUppercase == true { answerForAll.withLock { $0 = rule } }
      return rule
    }
  }
}
