import FileSystem
import Glibc
import Processes
import Secrets
import SystemPackage

/// The source of a password or PIN. None of the sources shows the secret in the process list.
enum SecretSource: Sendable {
  /// The first line of a file.
  case file(String)
  /// The first line that a shell command prints.
  case command(String)
  /// The first line from an open descriptor.
  case descriptor(CInt)
  /// An environment variable. Other processes of the same user can read it while a program starts.
  case environment(Secret)
  /// The user at the terminal.
  case prompt

  /// Reads the secret. Blocks until the command ends or the user answers.
  ///
  /// - Parameters:
  ///   - question: the question to the user, without the colon.
  ///   - warn: receives warnings.
  /// - Throws: `SecretError`; `OwnershipError` if other users can change the file; `CancellationError` after a signal.
  func read(_ kind: SecretKind, question: String, warn: (String) -> Void) throws -> Secret {
    switch self {
    case .file(let path): try Self.firstLine(ofFile: path, kind, warn)
    case .command(let command): try Self.firstLine(ofCommand: command, kind)
    case .descriptor(let number): try Self.firstLine(ofDescriptor: number, kind)
    case .environment(let secret): secret
    case .prompt: try TerminalPrompt.ask(question, kind)
    }
  }

  private static func firstLine(ofFile path: String, _ kind: SecretKind, _ warn: (String) -> Void) throws
    -> Secret
  {
    let source = "the \(kind.noun) file \(path)"
    // not with `File`: process substitution of a shell gives a pipe, which has no offsets
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SecretError.unreadable(source, Errno(rawValue: errno)) }
    defer { close(descriptor) }
    try Ownership.require(descriptor: descriptor, at: FilePath(path))
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
      warn("the \(kind.noun) file \(path) can be read by other users; run chmod 600 \(path)")
    }
    return try FirstLine(kind: kind, source: path, unreadableSource: source).read(from: descriptor)
  }

  private static func firstLine(ofDescriptor number: CInt, _ kind: SecretKind) throws -> Secret {
    let source = "the \(kind.noun) from descriptor \(number)"
    let flags = fcntl(number, F_GETFD)
    // descriptors that this program opened have FD_CLOEXEC; inherited descriptors cannot have FD_CLOEXEC
    guard flags >= 0, flags & FD_CLOEXEC == 0 else {
      throw SecretError.unreadable(source, .badFileDescriptor)
    }
    _ = fcntl(number, F_SETFD, flags | FD_CLOEXEC)
    return try FirstLine(kind: kind, source: "descriptor \(number)", unreadableSource: source)
      .read(from: number)
  }

  private static func firstLine(ofCommand command: String, _ kind: SecretKind) throws -> Secret {
    let line: Result<Secret, SecretError>
    do throws(ChildProcess.Failure) {
      // a user at a terminal may need any time
      let limit = TerminalPrompt.isPossible ? nil : ShellOutput.timeLimit
      line = try Signals.cleaningUp { () throws(ChildProcess.Failure) in
        try ShellOutput(timeLimit: limit).firstLine(of: command, kind)
      }
    } catch {
      throw error == .cancelled ? CancellationError() : SecretError.command(kind, error)
    }
    return try line.get()
  }
}
