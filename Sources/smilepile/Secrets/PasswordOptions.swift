import ArgumentParser
import Backup
import Operations
import Secrets
import SystemPackage
import Zip

/// The password of an encrypted archive, from a place that others cannot look into; never from the command line.
struct PasswordOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The password is the first line of this file.", valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
  var passwordFile: String?

  @Option(
    help: ArgumentHelp(
      "The password is the first line that this prints; within two minutes where there is no terminal.",
      valueName: "command"))
  var passwordCommand: String?

  @Option(help: ArgumentHelp("The password comes from this open descriptor.", valueName: "number"))
  var passwordFd: Int?

  @Flag(help: "Ask for the password at the terminal.")
  var passwordPrompt = false

  @Option(name: .customLong("password"), help: .hidden)
  private var onTheCommandLine: String?

  func validate() throws {
    if onTheCommandLine != nil {
      throw ValidationError(
        "a password on the command line stands in the process list for everyone to read; use --password-file, "
          + "--password-command, --password-fd or SMILEPILE_PASSWORD")
    }
    _ = try source
  }

  /// Where it comes from, the environment included; nil if nobody said.
  var source: SecretSource? {
    get throws {
      try SecretSource.named(
        .password, file: passwordFile, command: passwordCommand, descriptor: passwordFd, asks: passwordPrompt)
    }
  }

  /// Whether an option names a source.
  var isGiven: Bool {
    passwordFile != nil || passwordCommand != nil || passwordFd != nil || passwordPrompt
  }

  /// The password, nil if nobody gave one. Blocks.
  func read(_ reporter: Reporter) throws -> Secret? {
    try source?.read(.password, question: "Password", warn: reporter.warnOfSecret)
  }

  /// The password to read backups with, nil if there is none. If nobody gave one and one of the backups is encrypted,
  /// a person at the terminal is asked. Blocks.
  ///
  /// - Parameter salvaging: whether damaged backups are searched. Then they have to be searched to know this too.
  func read(
    for backups: [FilePath], _ limits: Limits, _ reporter: Reporter, salvaging: Bool = false
  ) throws -> Secret? {
    if let given = try read(reporter) { return given }
    guard TerminalPrompt.isPossible else { return nil }
    let locked = backups.first { Self.needsPassword($0, limits, salvaging: salvaging) }
    return try locked.map { try TerminalPrompt.ask("Password for \($0)", .password) }
  }

  /// False for a file that cannot be read: what is wrong with it is told by whoever reads it.
  private static func needsPassword(_ path: FilePath, _ limits: Limits, salvaging: Bool) -> Bool {
    if let summary = try? EncryptionSummary(path: path, limits: limits) { return !summary.methods.isEmpty }
    return salvaging && (try? Salvage(path: path, limits: limits))?.needsPassword == true
  }
}
