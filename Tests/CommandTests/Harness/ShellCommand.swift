import Foundation
import Glibc

/// A command line that `/bin/sh -c` runs in its own session. It inherits nothing from the caller.
///
/// In contrast to Foundation's `Process`, it reads both outputs and writes the input in one loop, which cannot
/// deadlock. It can give the command a terminal, and it kills the process group.
struct ShellCommand: Sendable {
  /// The text for the shell.
  var text: String
  /// The working folder; a path without `'`.
  var folder: String
  /// The whole environment.
  var environment: [String: String]
  /// The width of the terminal for stdin, stdout and stderr. If nil, stdin is empty and the others are pipes.
  var terminalColumns: Int?
  /// What is typed on the terminal. Each answer waits for its prompt, in order.
  var replies: [(prompt: String, answer: String)] = []
  /// The time after which the command is killed.
  var timeout: Duration = .seconds(60)

  /// The result of a command.
  struct Outcome: Sendable {
    /// The exit status as a shell gives it: 128 + n for signal n.
    var status = 0
    /// stdout, or everything sent to the terminal.
    var output: [UInt8] = []
    var error: [UInt8] = []
    /// Set if the command was killed at the timeout, or left a process running.
    var trouble: String?
    /// How many of the replies were typed.
    var typedReplies = 0
  }

  /// Runs the command to its end. Blocks.
  ///
  /// - Throws: `POSIXError` if the command cannot be started.
  func run() throws -> Outcome {
    var channels = try terminalColumns.map(Channels.terminal(columns:)) ?? Channels.pipes()
    defer { channels.close() }
    let process = try spawn(channels)
    channels.closeChildEnds()
    var outcome = Outcome()
    let deadline = ContinuousClock.now + timeout
    var status: CInt = 0
    var endedAt: ContinuousClock.Instant?
    var searchedTo = 0

    while channels.areOpen || endedAt == nil {
      channels.read(into: &outcome)
      while outcome.typedReplies < replies.count,
        let found = outcome.output[searchedTo...].firstRange(of: replies[outcome.typedReplies].prompt.utf8)
      {
        channels.type(replies[outcome.typedReplies].answer)
        searchedTo = found.upperBound
        outcome.typedReplies += 1
      }
      if endedAt == nil, waitpid(process, &status, WNOHANG) == process { endedAt = .now }
      let isLeftOver = endedAt.map { ContinuousClock.now - $0 > .seconds(10) } ?? false
      if isLeftOver || ContinuousClock.now > deadline {
        outcome.trouble = "it was killed after \(timeout.components.seconds) s"
        if isLeftOver { outcome.trouble = "it left a process running that holds its output" }
        kill(-process, SIGKILL)
        if endedAt == nil { waitpid(process, &status, 0) }
        break
      }
    }
    let signal = Int(status & 0x7F)  // wait(2): WTERMSIG, a macro that Swift does not import
    outcome.status = signal == 0 ? Int(status >> 8 & 0xFF) : 128 + signal
    return outcome
  }

  private func spawn(_ channels: Channels) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    channels.addActions(to: &actions)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Resets signals that the test process ignores or blocks (SIGPIPE), as in a login shell.
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    let newSession: CInt = 0x80  // POSIX_SPAWN_SETSID, which Swift does not import
    let flags = newSession | CInt(POSIX_SPAWN_SETSIGDEF) | CInt(POSIX_SPAWN_SETSIGMASK)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var process: pid_t = 0
    let code = Self.withCStrings(["/bin/sh", "-c", "cd '\(folder)' || exit 126\n\(text)"]) { arguments in
      Self.withCStrings(environment.map { "\($0)=\($1)" }) { environment in
        posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, environment)
      }
    }
    if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    return process
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
  }
}
