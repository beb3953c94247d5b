import ArgumentParser
import FileSystem
import PhotoLibrary
import Secrets
import SystemPackage

/// `smilepile pin`: the library's own PIN.
struct PINCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Set, change or remove the PIN that protects a library.",
    discussion: """
      If delete protection is on (a setting of the phone, imported with its backups), import --strategy replace, \
      undo and remove require the PIN; otherwise they ask for a confirmation. A PIN has four to six digits. After \
      five wrong PINs, no PIN is accepted for 30 seconds. The PIN protects against mistakes, not against users who can \
      write the library's files. Backups never contain the PIN.

      Example:
        smilepile pin set -l ~/Family
      """,
    subcommands: [Set.self, Change.self, Remove.self])

  /// Runs a subcommand.
  fileprivate static func run(
    _ library: LibraryOption, _ lock: LockOption, _ output: CommonOptions, done: String,
    ask: (Library, Reporter) throws -> (LibraryWriter) throws -> Void
  ) throws {
    let reporter = Reporter(output)
    let path = try library.path()
    // the library is not locked while the user types
    let change = try ask(Library(path: path), reporter)
    try change(LibraryWriter(path: path, lockWait: lock.duration))
    reporter.importantResult("\(done) \(path)".escaped)
    reporter.json(Summary(hasPin: try Library(path: path).hasPIN()))
  }

  private struct Summary: Encodable {
    let messageType = "summary"
    var hasPin: Bool
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Set the PIN of a library that has none.",
      discussion: "Example:\n  smilepile pin set -l ~/Family --pin-file ~/.family-pin")

    @OptionGroup var pin: PINOptions
    @OptionGroup var library: LibraryOption
    @OptionGroup var lock: LockOption
    @OptionGroup var output: CommonOptions

    func run() throws {
      try PINCommand.run(library, lock, output, done: "set the PIN of") { library, reporter in
        // checks before the user types the PIN twice
        if try library.hasPIN() { throw PINError.alreadySet(library.path) }
        let new = try PIN.read(
          from: pin.source, .pin, question: "New PIN", chooses: true, warn: reporter.warnOfSecret)
        return { try $0.setPIN(new) }
      }
    }
  }

  struct Change: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "change",
      abstract: "Change the PIN of a library.",
      discussion: "Example:\n  smilepile pin change -l ~/Family")

    @OptionGroup var pin: PINOptions
    @OptionGroup var newPIN: NewPINOptions
    @OptionGroup var library: LibraryOption
    @OptionGroup var lock: LockOption
    @OptionGroup var output: CommonOptions

    func run() throws {
      try PINCommand.run(library, lock, output, done: "changed the PIN of") { library, reporter in
        guard try library.hasPIN() else { throw PINError.notSet(library.path) }
        let old = try PIN.read(from: pin.source, .pin, question: "PIN", warn: reporter.warnOfSecret)
        let new = try PIN.read(
          from: newPIN.source, .newPIN, question: "New PIN", chooses: true, warn: reporter.warnOfSecret)
        return { try $0.changePIN(old, to: new) }
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove the PIN of a library.",
      discussion: """
        Needs the PIN. If the PIN does not come from the terminal, asks for a confirmation; --yes confirms.

        Example:
          smilepile pin remove -l ~/Family
        """)

    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var library: LibraryOption
    @OptionGroup var lock: LockOption
    @OptionGroup var output: CommonOptions

    func run() throws {
      try PINCommand.run(library, lock, output, done: "removed the PIN of") { library, reporter in
        guard try library.hasPIN() else { throw PINError.nothingToRemove(library.path) }
        let operation = DestructiveOperation("remove the PIN of \(library.path)", lowers: [.pin])
        let authorization = try confirmation.authorization(reporter, for: library.path)
        guard let old = try authorization.pin(operation) else {
          throw AuthorizationError.pinNeeded(library.path)
        }
        return { try $0.removePIN(old) }
      }
    }
  }
}
