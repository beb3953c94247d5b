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
      Where delete protection is on (a phone's setting, which comes with its backups), import --strategy replace, \
      undo and remove ask for the PIN before anything goes; elsewhere they ask for a confirmation. A PIN has four to \
      six digits; after five wrong ones there is a pause of 30 seconds. Where no backup has brought delete \
      protection, a PIN is kept and not asked for. It guards against a child's or one's own mistake: whoever may \
      write the library's files can change them without this program. It is never exported.

      Example:
        smilepile pin set -l ~/Family
      """,
    subcommands: [Set.self, Change.self, Remove.self])

  /// What the three have in common.
  fileprivate static func run(
    _ library: LibraryOption, _ lock: LockOption, _ output: OutputOptions, done: String,
    ask: (Library, Reporter) throws -> (LibraryWriter) throws -> Void
  ) throws {
    let reporter = Reporter(output)
    let path = try library.path()
    // nobody waits for the library while a person types
    let deed = try ask(Library(path: path), reporter)
    try deed(LibraryWriter(path: path, lockWait: lock.duration))
    reporter.lasting("\(done) \(path)".escaped)
    reporter.json(Summary(hasPin: try Library(path: path).hasPIN()))
  }

  private struct Summary: Encodable {
    let messageType = "summary"
    var hasPin: Bool
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a library a PIN that has none.",
      discussion: "Example:\n  smilepile pin set -l ~/Family --pin-file ~/.family-pin")

    @OptionGroup var pin: PINOptions
    @OptionGroup var library: LibraryOption
    @OptionGroup var lock: LockOption
    @OptionGroup var output: OutputOptions

    func run() throws {
      try PINCommand.run(library, lock, output, done: "set the PIN of") { library, reporter in
        // not only after a person has typed it twice
        if try library.hasPIN() { throw PINError.alreadySet(library.path) }
        let new = try PIN.read(
          from: pin.source, .pin, question: "New PIN", chooses: true, warn: reporter.warnOfSecret)
        return { try $0.setPIN(new) }
      }
    }
  }

  struct Change: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put another PIN in the place of the old one.",
      discussion: "Example:\n  smilepile pin change -l ~/Family")

    @OptionGroup var pin: PINOptions
    @OptionGroup var newPIN: NewPINOptions
    @OptionGroup var library: LibraryOption
    @OptionGroup var lock: LockOption
    @OptionGroup var output: OutputOptions

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
      abstract: "Take a library's PIN away.",
      discussion: """
        Asks first. A PIN typed at the terminal confirms the removal. A PIN from another source needs a \
        confirmation, or --yes without a terminal.

        Example:
          smilepile pin remove -l ~/Family
        """)

    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var library: LibraryOption
    @OptionGroup var lock: LockOption
    @OptionGroup var output: OutputOptions

    func run() throws {
      try PINCommand.run(library, lock, output, done: "removed the PIN of") { library, reporter in
        guard try library.hasPIN() else { throw PINError.notSet(library.path) }
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
