import ArgumentParser
import Backup
import Operations
import Secrets
import SystemPackage
import Zip

/// The source of the password of an encrypted archive.
struct PasswordOptions: ParsableArguments {
  private enum Password: NamedSecret {
    static let kind = SecretKind.password
  }

  @OptionGroup private var options: SecretOptions<Password>

  @Flag(help: "Ask for the password at the terminal.")
  var passwordPrompt = false

  @Option(name: .customLong("password"), help: .hidden)
  private var onTheCommandLine: String?

  func validate() throws {
    if onTheCommandLine != nil {
      throw ValidationError(
        "other users can see a password on the command line; use --password-file, "
          + "--password-command, --password-fd or SMILEPILE_PASSWORD")
    }
    _ = try source
  }

  /// The source of the password, including the environment; nil if none is given.
  var source: SecretSource? {
    get throws { try options.source(asks: passwordPrompt) }
  }

  /// True if an option gives a source.
  var isGiven: Bool { options.isGiven || passwordPrompt }

  /// Reads the password; returns nil if there is no source. Blocks.
  func read(_ reporter: Reporter) throws -> Secret? {
    try source?.read(.password, question: "Password", warn: reporter.warnOfSecret)
  }

  /// Reads the password of backups; returns nil if there is none. Asks at the terminal if there is no source
  /// and a backup is encrypted. Blocks.
  ///
  /// - Parameter salvaging: true to search damaged backups for encrypted entries.
  func read(
    for backups: [FilePath], _ limits: Limits, _ reporter: Reporter, salvaging: Bool = false
  ) throws -> Secret? {
    if let given = try read(reporter) { return given }
    guard TerminalPrompt.isPossible else { return nil }
    let locked = backups.first { Self.needsPassword($0, limits, salvaging: salvaging) }
    return try locked.map { try TerminalPrompt.ask("Password for \($0)", .password) }
  }

  /// Returns true if a backup is encrypted. Returns false for an unreadable file, whose error the caller's
  /// reader reports.
  private static func needsPassword(_ path: FilePath, _ limits: Limits, salvaging: Bool) -> Bool {
    if let summary = try? EncryptionSummary(path: path, limits: limits) { return !summary.methods.isEmpty }
    return salvaging && (try? Salvage(path: path, limits: limits))?.needsPassword == true
  }
}
