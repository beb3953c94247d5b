import Processes
import Secrets

/// Runs a shell command and reads the first line of its output.
struct ShellOutput {
  /// The time limit of a command if no terminal allows the user to answer the command. A command that waits
  /// for an answer would otherwise block a job, and the lock of its library, forever.
  static let timeLimit = Duration.seconds(120)

  /// The time limit; nil for none. With a limit, the command leads a process group; without one, it can ask
  /// at the terminal.
  var timeLimit: Duration?
  /// Returns true if the command must be terminated.
  var isCancelled: () -> Bool = { Signals.received != nil }

  /// Waits for the end of the command, which shares the terminal, standard input and standard error of this
  /// program. Reads and drops the output after the first line, so that SIGPIPE does not kill the command.
  func firstLine(
    of command: String, _ kind: SecretKind
  ) throws(ChildProcess.Failure) -> Result<Secret, SecretError> {
    // one byte more than the maximum line, to notice a longer line
    let start = UnsafeMutableRawBufferPointer.allocate(byteCount: FirstLine.limit + 1, alignment: 1)
    defer {
      start.wipe()
      start.deallocate()
    }
    var count = 0
    var process = ChildProcess(shell: command)
    process.leadsGroup = timeLimit != nil
    process.timeLimit = timeLimit
    try process.run(isCancelled: isCancelled) { _, bytes in
      let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(start.count - count))
      UnsafeMutableRawBufferPointer(rebasing: start[count...]).copyMemory(from: part)
      count += part.count
    }
    var bytes = start[..<count].makeIterator()
    let line = FirstLine(kind: kind, source: "the output of the command for the \(kind.noun)")
    return Result { () throws(SecretError) in try line.read { () throws(SecretError) in bytes.next() } }
  }
}
