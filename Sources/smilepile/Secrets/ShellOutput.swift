import Processes
import Secrets

/// Runs a shell command for the first line that it prints.
struct ShellOutput {
  /// The time that a command gets if there is no terminal at which a person could answer it. A command that asks would
  /// otherwise keep a job, and the lock of its library, forever.
  static let timeLimit = Duration.seconds(120)

  /// Nil for as long as it takes. With a limit, the command leads a process group; without one, it can ask at the terminal.
  var timeLimit: Duration?
  /// True when the command is to be terminated.
  var isCancelled: () -> Bool = { Signals.received != nil }

  /// Waits for the end of the command, which shares our terminal, standard input and standard error. What it prints after
  /// the first line is read and dropped, so that it does not die of a closed pipe.
  func firstLine(of command: String) throws(ChildProcess.Failure) -> Result<Secret, LineFault> {
    // one byte more than a line has, so that a longer one is noticed
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
    return Result { () throws(LineFault) in
      try FirstLine.read { () throws(LineFault) in bytes.next() }
    }
  }
}
