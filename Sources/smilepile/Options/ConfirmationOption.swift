import ArgumentParser
import FileSystem
import Foundation
import Operations
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
  /// - Parameters:
  ///   - library: the library that the operations change.
  ///   - photos: confirms, together with `--yes`, an operation that needs the number of photos.
  func authorization(
    _ reporter: Reporter, for library: FilePath, photos: Int? = nil
  ) throws -> Authorization {
    let (yes, source) = (yes, try pin.source())
    let confirms = { @Sendable (operation: DestructiveOperation) throws -> Bool in
      if let count = operation.photosToConfirm {
        return try yes ? Self.compare(photos, to: count, library) : Self.ask(operation, toType: count)
      }
      return try yes || Self.ask(operation.description.escaped)
    }
    // a descriptor gives the PIN once, but an operation may ask for the PIN again
    let given = Mutex<PIN?>(nil)
    return Authorization(
      pin: { operation in
        let question = "PIN to \(operation.description)"
        // a typed PIN is no count of photos
        let isConfirmedByPIN = source == nil && operation.photosToConfirm == nil
        guard try isConfirmedByPIN || confirms(operation) else {
          throw AuthorizationError.notConfirmed(library)
        }
        guard source != nil || TerminalPrompt.isPossible else { return nil }
        if let pin = given.withLock({ $0 }) { return pin }
        let pin = try Console.standard.withoutStatus {
          try PIN.read(from: source, .pin, question: question, warn: reporter.warnOfSecret)
        }
        if source != nil { given.withLock { $0 = pin } }
        return pin
      },
      confirms: confirms)
  }

  /// Throws if a library has another number of photos than `--photos`. Blocks.
  func check(_ photos: Int, of library: Library) throws {
    _ = try Self.compare(photos, to: library.totals().photos, library.path)
  }

  /// The number after `--photos` is not that of the library.
  struct WrongCount: Error, CustomStringConvertible {
    let library: FilePath
    let given: Int?
    let count: Int

    var description: String {
      "\(library) was not changed: it has \(Count(count, "photo")), and --photos is \(given ?? 0)".escaped
    }
  }

  private static func compare(_ given: Int?, to count: Int, _ library: FilePath) throws -> Bool {
    guard given == count else { throw WrongCount(library: library, given: given, count: count) }
    return true
  }

  /// Asks the user to confirm an operation by typing the number of photos.
  private static func ask(_ operation: DestructiveOperation, toType count: Int) throws -> Bool {
    let question = operation.description.escaped
    try requireTerminal(toAsk: question, insteadOf: "--yes --photos NUMBER")
    let typed = try line("\(question)\nType the number of photos to confirm: ")
    return typed.flatMap { Int($0) } == count
  }

  /// Asks the user to confirm an operation.
  ///
  /// - Parameter question: an escaped text without a question mark.
  /// - Throws: `ValidationError` if there is no terminal; `CancellationError` after a signal.
  static func ask(_ question: String) throws -> Bool {
    try requireTerminal(toAsk: question, insteadOf: "--yes")
    return try answer(question)
  }

  private static func requireTerminal(toAsk question: String, insteadOf options: String) throws {
    guard !isTerminal else { return }
    throw ValidationError("cannot ask for a confirmation without a terminal: \(question); use \(options)")
  }

  /// Asks the user at the terminal. Returns true for yes.
  ///
  /// - Parameter question: an escaped text without a question mark.
  /// - Throws: `CancellationError` after a signal.
  static func answer(_ question: String) throws -> Bool {
    ["y", "yes"].contains(try line("\(question)? [y/N] ")?.lowercased())
  }

  /// Shows a question at the terminal. Returns the line that the user types, without spaces around it.
  private static func line(_ question: String) throws -> String? {
    // discards input before the question
    tcflush(STDIN_FILENO, TCIFLUSH)
    let answer = Console.standard.ask(question, isCancelled: { Signals.received != nil })
    if Signals.received != nil { throw CancellationError() }
    return answer?.trimmingCharacters(in: .whitespaces)
  }

  /// True if the program can ask the user.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}
