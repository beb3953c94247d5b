import ArgumentParser
import FileSystem
import PhotoLibrary

/// `smilepile pin`: the library's own PIN.
struct PINCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Set, change or remove the PIN that protects a library.",
    discussion: """
      The PIN is required to change or remove the PIN, and to lower a protection (smilepile settings). If \
      delete protection is on, remove, reset, undo, import --strategy replace, settings reset and clean --undo or \
      --quarantined require it too; otherwise they ask for a confirmation. A PIN has four to six digits. After five wrong PINs, no PIN is \
      accepted for 30 seconds. The PIN protects against mistakes, not against users who can write the \
      library's files. Backups never contain it.

      Example:
        smilepile pin set -l ~/Family
      """,
    subcommands: [Set.self, Change.self, Remove.self])

  /// Runs a subcommand.
  ///
  /// - Parameter explainsPIN: true to tell which commands ask for the PIN.
  fileprivate static func run(
    _ target: LibraryChangeOptions, done: String, explainsPIN: Bool = false,
    ask: (Library, Reporter) throws -> (LibraryWriter) throws -> Void
  ) throws {
    let reporter = target.reporter
    let path = try target.library.path()
    // the library is not locked while the user types
    let change = try ask(Library(path: path), reporter)
    try change(LibraryWriter(path: path, lockWait: target.lock.duration))
    let changed = try Library(path: path)
    let hasPIN = try changed.hasPIN()
    let isProtected = try changed.storedSettings().settings.deleteProtectionEnabled
    reporter.importantResult("\(done) \(path)".escaped)
    if explainsPIN {
      reporter.note(guarded(byPINWith: isProtected))
      if !isProtected {
        reporter.note("delete protection is off; run smilepile settings set delete-protection on")
      }
    }
    reporter.json("summary", ["has_pin": hasPIN, "delete_protection": isProtected])
  }

  /// Returns a sentence about the commands that ask for the PIN.
  ///
  /// - Parameter isProtected: true if delete protection is on.
  static func guarded(byPINWith isProtected: Bool) -> String {
    isProtected
      ? "Every command that removes or replaces photos, resets settings or lowers a protection asks for the PIN."
      : "Only commands that lower a protection, or change or remove the PIN, ask for the PIN."
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the PIN of a library that has none.",
      discussion: """
        If delete protection is off, asks at a terminal whether to turn it on. Only with delete protection, \
        the PIN is required to remove photos.

        Example:
          smilepile pin set -l ~/Family --pin-file ~/.family-pin --delete-protection
        """)

    enum Protection: EnumerableFlag {
      case deleteProtection, noDeleteProtection

      static func name(for value: Self) -> NameSpecification {
        .customLong(value == .deleteProtection ? "delete-protection" : "no-delete-protection")
      }

      static func help(for value: Self) -> ArgumentHelp? {
        value == .deleteProtection
          ? "Turn delete protection on, without a question."
          : "Leave delete protection as it is, without a question."
      }
    }

    @Flag(exclusivity: .exclusive) var protection: Protection?

    @OptionGroup var pin: PINOptions
    @OptionGroup var target: LibraryChangeOptions

    func run() throws {
      try PINCommand.run(target, done: "set the PIN of", explainsPIN: true) {
        library, reporter in
        // checks before the user types the PIN twice
        if try library.hasPIN() { throw PINError.alreadySet(library.path) }
        let new = try PIN.read(
          from: pin.source(), .pin, question: "New PIN", chooses: true, warn: reporter.warnOfSecret)
        let turnsOn = try protection.map { $0 == .deleteProtection } ?? offersDeleteProtection(of: library)
        return { writer in
          try writer.setPIN(new)
          if turnsOn { try writer.turnOnDeleteProtection() }
        }
      }
    }

    /// Asks at the terminal whether to turn delete protection on, if it is off.
    private func offersDeleteProtection(of library: Library) throws -> Bool {
      let isProtected = try library.storedSettings().settings.deleteProtectionEnabled
      guard !isProtected, ConfirmationOption.isTerminal else { return false }
      return try ConfirmationOption.answer(
        "turn delete protection on, so that the PIN is required to remove photos")
    }
  }

  struct Change: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change the PIN of a library.",
      discussion: "Example:\n  smilepile pin change -l ~/Family")

    @OptionGroup var pin: PINOptions
    @OptionGroup var newPIN: NewPINOptions
    @OptionGroup var target: LibraryChangeOptions

    func run() throws {
      try PINCommand.run(target, done: "changed the PIN of") { library, reporter in
        guard try library.hasPIN() else { throw PINError.notSet(library.path) }
        let old = try PIN.read(from: pin.source(), .pin, question: "PIN", warn: reporter.warnOfSecret)
        let new = try PIN.read(
          from: newPIN.source(), .newPIN, question: "New PIN", chooses: true, warn: reporter.warnOfSecret)
        return { try $0.changePIN(old, to: new) }
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove the PIN of a library.",
      discussion: """
        Needs the PIN. If the PIN does not come from the terminal, asks for a confirmation; --yes confirms.

        Example:
          smilepile pin remove -l ~/Family
        """)

    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var target: LibraryChangeOptions

    func run() throws {
      try PINCommand.run(target, done: "removed the PIN of") { library, reporter in
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
