import ArgumentParser
import FileSystem
import Secrets
import SystemPackage

/// Encryption of an export.
struct EncryptionOptions: ParsableArguments {
  @Flag(help: "Encrypt photos and metadata with AES-256. Phones cannot read the archive.")
  var encrypt = false

  @Flag(help: "Create a strong passphrase, and show it once, on the terminal.")
  var generatePassphrase = false

  @Option(
    help: ArgumentHelp(
      "With --generate-passphrase: write the passphrase to this new file.", valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
  var passphraseFile: String?

  @Flag(help: "Accept a password of fewer than 12 characters.")
  var forceWeakPassword = false

  @OptionGroup var password: PasswordOptions

  func validate() throws {
    guard encrypt else {
      if generatePassphrase || passphraseFile != nil || forceWeakPassword || password.isGiven {
        throw ValidationError("password options need --encrypt")
      }
      return
    }
    if passphraseFile != nil, !generatePassphrase {
      throw ValidationError(
        "--passphrase-file needs --generate-passphrase; use --password-file to read a password")
    }
    if generatePassphrase, try password.source != nil {
      throw ValidationError("--generate-passphrase creates the password; remove the other password options")
    }
  }

  /// Returns the password for the archive, nil for no encryption, and the new passphrase file, if any. May
  /// ask the user, and blocks. A new passphrase is shown, or durable in its file, before this returns, so
  /// that no archive exists whose passphrase is unknown.
  ///
  /// - Throws: `ValidationError` for a password that is too weak, `SecretError`, or `FileError`.
  func secret(isDryRun: Bool, _ reporter: Reporter) throws -> (Secret?, made: PassphraseFile?) {
    guard encrypt else {
      if EnvironmentSecrets.value(of: .password) != nil {
        reporter.warnOfSecret(
          "SMILEPILE_PASSWORD is set, but the archive is not encrypted; use --encrypt")
      }
      return (nil, nil)
    }
    if generatePassphrase { return try generated(isDryRun: isDryRun) }
    if let given = try password.passwordPrompt ? nil : password.read(reporter) {
      if let fault = fault(in: given) { throw ValidationError(fault) }
      return (given, nil)
    }
    // a dry run has the same result with any password
    if isDryRun, !password.passwordPrompt { return (Passphrase.make(), nil) }
    guard TerminalPrompt.isPossible else { throw SecretError.missing(.password) }
    return (try TerminalPrompt.askTwice("Password for the archive", .password, fault: fault), nil)
  }

  private func fault(in password: Secret) -> String? {
    PasswordError.find(in: password, allowsWeak: forceWeakPassword).map { "\($0)" }
  }

  private func generated(isDryRun: Bool) throws -> (Secret?, made: PassphraseFile?) {
    let passphrase = Passphrase.make()
    if isDryRun { return (passphrase, nil) }
    if let passphraseFile {
      return (passphrase, try PassphraseFile(FilePath(passphraseFile), holding: passphrase))
    }
    guard TerminalPrompt.isPossible else {
      throw ValidationError("cannot show the passphrase without a terminal; use --passphrase-file PATH")
    }
    try TerminalPrompt.show(
      "The passphrase of the archive. It is shown only now, and the archive cannot be opened without it:\n\n    ",
      passphrase,
      "\n\n")
    return (passphrase, nil)
  }

  /// Reports the path of a new passphrase after the archive is published.
  func announce(_ reporter: Reporter) {
    guard encrypt, generatePassphrase, let passphraseFile else { return }
    reporter.note("the passphrase is in \(passphraseFile.escaped); the archive cannot be opened without it")
  }
}

/// A new file with a new passphrase.
struct PassphraseFile {
  private let folder: FilePath
  private let name: FilePath

  /// Writes the passphrase and a line feed into a new file, which only its owner can read, and makes the file
  /// durable. Fails if the file exists. Blocks.
  init(_ path: FilePath, holding passphrase: Secret) throws(FileError) {
    folder = path.folder
    name = path.lastComponent.map { FilePath($0.string) } ?? ""
    let directory = try Directory.open(folder)
    let file = try directory.open(name, .create)
    do throws(FileError) {
      try passphrase.write(to: file)
      try file.sync()
      try directory.sync()
    } catch {
      _ = try? directory.remove(name)
      throw error
    }
  }

  /// Removes the file if no archive needs the passphrase.
  func remove() {
    guard let directory = try? Directory.open(folder) else { return }
    _ = try? directory.remove(name)
  }
}

extension Secret {
  fileprivate func write(to file: borrowing File) throws(FileError) {
    let line = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount + 1, alignment: 1)
    defer {
      line.wipe()
      line.deallocate()
    }
    withBytes { line.copyMemory(from: $0) }
    line[byteCount] = UInt8(ascii: "\n")
    try file.write(UnsafeRawBufferPointer(line), at: 0)
  }
}
