import FileSystem
import Glibc
import Secrets

/// The controlling terminal of this process, independent of the standard streams. Asks for secrets without
/// echo, and shows texts that must not get into a file.
enum TerminalPrompt {
  /// True if there is a terminal.
  static var isPossible: Bool {
    guard let descriptor = open() else { return false }
    close(descriptor)
    return true
  }

  /// Asks for a secret and waits for a line. Control-C works as always.
  ///
  /// - Throws: `SecretError` if there is no terminal or the user types nothing; `CancellationError` after a signal.
  static func ask(_ question: String, _ kind: SecretKind) throws -> Secret {
    guard let descriptor = open() else { throw SecretError.missing(kind) }
    defer { close(descriptor) }
    guard TerminalEcho.turnOff(at: descriptor) else { throw SecretError.terminal(kind) }
    defer { TerminalEcho.restore() }
    write("\(question.escaped): ", to: descriptor)
    defer { write("\n", to: descriptor) }
    do {
      return try FirstLine(kind: kind, source: "the terminal")
        .read(from: descriptor, isCancelled: { Signals.received != nil })
    } catch {
      if Signals.received != nil { throw CancellationError() }
      if case .notALine = error { throw error }
      throw SecretError.terminal(kind)
    }
  }

  /// Asks twice, up to three times. Repeats the question if the answers differ or `fault` rejects the first.
  static func askTwice(
    _ question: String, _ kind: SecretKind, fault: (Secret) -> String?
  ) throws -> Secret {
    for _ in 0..<3 {
      let secret = try ask(question, kind)
      if let fault = fault(secret) {
        try show("\(fault)\n")
        continue
      }
      if try ask("The same \(kind.noun) again", kind) == secret { return secret }
      try show("The two \(kind.noun)s differ.\n")
    }
    throw SecretError.notRepeated(kind)
  }

  /// Shows a text with a secret on the terminal only. Does not copy the bytes of the secret.
  ///
  /// - Throws: `SecretError.notShown` if there is no terminal or a write fails.
  static func show(_ text: String, _ secret: Secret? = nil, _ rest: String = "") throws {
    guard let descriptor = open() else { throw SecretError.notShown }
    defer { close(descriptor) }
    guard write(text, to: descriptor), secret?.withBytes({ write($0, to: descriptor) }) ?? true,
      write(rest, to: descriptor)
    else { throw SecretError.notShown }
  }

  private static func open() -> CInt? {
    let descriptor = Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    return descriptor < 0 ? nil : descriptor
  }

  @discardableResult
  private static func write(_ text: String, to descriptor: CInt) -> Bool {
    Array(text.utf8).withUnsafeBytes { write($0, to: descriptor) }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
    Descriptor.write(bytes, to: descriptor) == nil
  }
}
