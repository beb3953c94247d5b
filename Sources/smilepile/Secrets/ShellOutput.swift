import Glibc
import Operations
import Secrets

/// Runs a shell command for the first line that it prints.
struct ShellOutput {
  /// How long a command may take where nobody sits at a terminal to answer it: what asks there asks for ever, with a
  /// job's lock held.
  static let timeLimit = Duration.seconds(120)
  /// How long a command has to end by itself after it was asked to.
  private static let grace = Duration.seconds(10)

  /// Nil for as long as it takes. The command is in a process group of its own if there is a limit: one that may ask
  /// at the terminal has to stay in the group that the terminal belongs to.
  var timeLimit: Duration?
  /// True when everything is to stop.
  var isCancelled: () -> Bool = { Signals.received != nil }

  /// Why a command gave nothing.
  enum Failure: Error, Equatable {
    case notStarted(errno: CInt)
    /// Its exit status, not 0; 128 and the signal if one killed it.
    case status(Int)
    case timeLimit(Duration)
    case cancelled
  }

  /// Waits for the command to end, and for nothing that it leaves in the background. It has our terminal, standard input
  /// and standard error; the rest of what it prints is read and forgotten, so that it does not die of a closed pipe.
  func firstLine(of command: String) throws(Failure) -> Result<Secret, LineFault> {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .notStarted(errno: errno) }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process: pid_t
    do throws(Failure) {
      process = try start(command, output: ends[1])
    } catch {
      close(ends[1])
      throw error
    }
    close(ends[1])

    var running = Running(self, process, output: ends[0])
    let line: Result<Secret, LineFault>
    do throws(LineFault) {
      line = .success(
        try FirstLine.read { () throws(LineFault) in
          var byte: UInt8 = 0
          return withUnsafeMutableBytes(of: &byte) { running.read(into: $0) } == 1 ? byte : nil
        })
    } catch {
      line = .failure(error)
    }
    running.drain()
    let status = running.end()
    if let stop = running.stop { throw stop }
    guard status == 0 else { throw .status(status) }
    return line
  }

  private func start(_ command: String, output: CInt) throws(Failure) -> pid_t {
    var shell = ShellCommand(command)
    shell.streams = [STDOUT_FILENO: output]
    shell.leadsGroup = timeLimit != nil
    do throws(ShellCommand.NotStarted) {
      return try shell.start()
    } catch {
      throw .notStarted(errno: error.errno)
    }
  }

  /// A command under way.
  private struct Running {
    let settings: ShellOutput
    let process: pid_t
    let output: CInt
    let deadline: ContinuousClock.Instant?
    /// Why it is being ended; nil while it may go on.
    private(set) var stop: Failure?
    private var status: Int?

    init(_ settings: ShellOutput, _ process: pid_t, output: CInt) {
      self.settings = settings
      self.process = process
      self.output = output
      deadline = settings.timeLimit.map { .now + $0 }
    }

    /// Bytes of what the command prints; 0 at the end, when the command has ended, whoever else may still hold its output
    /// open, and when it is to be stopped.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      while !mustStop() {
        // looked at first: what it had printed by then is in the pipe
        let isOver = hasEnded()
        var wanted = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        if poll(&wanted, 1, isOver ? 0 : 100) > 0 {
          let count = Glibc.read(output, buffer.baseAddress, buffer.count)
          if count >= 0 { return count }
          if errno != EINTR, errno != EAGAIN { return 0 }
        } else if isOver {
          return 0
        }
      }
      return 0
    }

    mutating func drain() {
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
        defer { buffer.wipe() }
        while read(into: buffer) > 0 {}
      }
    }

    /// Waits for its end, which comes soon if it is to be stopped.
    ///
    /// - Returns: its exit status.
    mutating func end() -> Int {
      while !hasEnded(), !mustStop() { usleep(20_000) }
      if stop != nil {
        signal(SIGTERM)
        let deadline = ContinuousClock.now + ShellOutput.grace
        while !hasEnded(), ContinuousClock.now < deadline { usleep(20_000) }
        // what was ended too late leaves nobody behind
        signal(SIGKILL)
        while !hasEnded() { usleep(20_000) }
      }
      return status ?? 0
    }

    private mutating func mustStop() -> Bool {
      if stop == nil, status == nil {
        if settings.isCancelled() {
          stop = .cancelled
        } else if let limit = settings.timeLimit, let deadline, .now >= deadline {
          stop = .timeLimit(limit)
        }
      }
      return stop != nil
    }

    private mutating func hasEnded() -> Bool {
      var code: CInt = 0
      if status == nil {
        let ended = waitpid(process, &code, WNOHANG)
        if ended == process { status = ShellCommand.exitStatus(code) }
        if ended < 0, errno != EINTR { status = 0 }
      }
      return status != nil
    }

    private func signal(_ number: CInt) {
      if settings.timeLimit != nil { kill(-process, number) } else if status == nil { kill(process, number) }
    }
  }
}
