import CSystemCalls
import Glibc

/// A running program that answers messages over a socket, which is its standard input. Its output and errors are
/// discarded. It leads a process group, so that an interrupt at the terminal does not reach it. The deinitializer kills
/// it.
package final class HelperProcess {
  /// How a process ended.
  package enum Ending: Sendable, Equatable {
    /// It exited with this status.
    case status(Int)
    /// This signal ended it.
    case signal(CInt)
  }

  /// Why a message was not sent or received.
  package enum Failure: Error, Equatable, CustomStringConvertible {
    /// The program could not be started, or the socket failed.
    case notRun(errno: CInt)
    /// The process has ended.
    case ended(Ending)
    /// The process did not answer in time.
    case timeLimit
    /// The caller was cancelled.
    case cancelled
    /// A message is not one of this version.
    case otherVersion

    /// A clause for messages, in which “it” is the program.
    package var description: String {
      switch self {
      case .notRun(let errno): String(cString: strerror(errno))
      case .ended(.status(let status)): "it ended with exit status \(status)"
      case .ended(.signal(let signal)): "it was ended by signal \(signal)"
      case .timeLimit: "it did not answer within 60 s"
      case .cancelled: "it was stopped"
      case .otherVersion: "it is of another version; install smilepile again"
      }
    }
  }

  /// The ID of the process.
  package let id: pid_t
  private let socket: CInt
  private var ending: Ending?

  /// Starts a program.
  ///
  /// - Parameter environment: all variables of the program, as `NAME=VALUE`.
  package init(_ program: String, environment: [String]) throws(Failure) {
    var ends: [CInt] = [-1, -1]
    guard smilepile_socket_pair(&ends) == 0 else { throw .notRun(errno: errno) }
    defer { close(ends[1]) }
    let (id, code) = Spawn.start(program, variables: environment, leadsGroup: true) { actions in
      posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
      for output in [STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
      }
    }
    guard code == 0 else {
      close(ends[0])
      throw .notRun(errno: code)
    }
    (self.id, socket) = (id, ends[0])
  }

  deinit {
    close(socket)
    _ = waitForEnd(attempts: 0)
  }

  /// True if the process has ended, or has closed its socket. Does not block. poll(2)
  package var hasEnded: Bool {
    var wanted = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, 0) > 0 && wanted.revents & Int16(POLLHUP | POLLERR) != 0
  }

  /// Sends a message with an open file. Blocks while the socket's buffer is full.
  ///
  /// - Throws: `.ended` if the process has ended or closed its socket; `.notRun` if the socket fails.
  package func send(_ message: [UInt8], descriptor: CInt) throws(Failure) {
    while true {
      let sent = smilepile_send_descriptor(socket, message, message.count, descriptor)
      if sent == message.count { return }
      let code = errno
      if sent < 0, code == EINTR { continue }
      throw code == EPIPE || code == ECONNRESET ? .ended(waitForEnd()) : .notRun(errno: code)
    }
  }

  /// Sends a message. Blocks while the process does not read; looks at the clock and at `isCancelled` at least ten times a
  /// second.
  ///
  /// - Returns: false if the process has sent a message and does not read. This message is not sent then.
  /// - Throws: `.ended` if the process has ended or closed its socket; `.timeLimit` after `deadline`; `.cancelled`;
  ///   `.notRun` if the socket fails.
  package func send(
    _ message: [UInt8], until deadline: ContinuousClock.Instant, isCancelled: () -> Bool = { false }
  ) throws(Failure) -> Bool {
    while true {
      if smilepile_send_packet(socket, message, message.count) == message.count { return true }
      let code = errno
      switch code {
      case EINTR: continue
      case EAGAIN: break
      case EPIPE, ECONNRESET: throw .ended(waitForEnd())
      default: throw .notRun(errno: code)
      }
      var wanted = pollfd(fd: socket, events: Int16(POLLIN | POLLOUT), revents: 0)
      if poll(&wanted, 1, 100) > 0, wanted.revents & Int16(POLLIN) != 0 { return false }
      if isCancelled() { throw .cancelled }
      if ContinuousClock.now >= deadline { throw .timeLimit }
    }
  }

  /// Receives a message. Blocks until then; looks at the clock and at `isCancelled` at least ten times a second.
  ///
  /// - Parameter limit: the most bytes of the message.
  /// - Throws: as `send`; `.notRun` also if the message is longer.
  package func receive(
    atMost limit: Int, until deadline: ContinuousClock.Instant, isCancelled: () -> Bool = { false }
  ) throws(Failure) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    while true {
      var wanted = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      if poll(&wanted, 1, 100) > 0 {
        let count = smilepile_receive_packet(socket, &buffer, limit)
        let code = errno
        if count > 0 { return Array(buffer.prefix(count)) }
        if count == 0 || code == ECONNRESET { throw .ended(waitForEnd()) }
        guard code == EINTR || code == EAGAIN else { throw .notRun(errno: code) }
      }
      if isCancelled() { throw .cancelled }
      if ContinuousClock.now >= deadline { throw .timeLimit }
    }
  }

  /// Waits for a process that has closed its socket. waitpid(2)
  ///
  /// - Parameter attempts: how often the process is examined, every 10 ms, before it is killed.
  private func waitForEnd(attempts: Int = 100) -> Ending {
    if let ending { return ending }
    var (code, left, ended) = (CInt(0), attempts, pid_t(0))
    repeat {
      if left == 0 { kill(id, SIGKILL) }
      ended = waitpid(id, &code, left == 0 ? 0 : WNOHANG)
      guard ended == 0 else { continue }
      left -= 1
      usleep(10_000)
    } while ended == 0 || ended < 0 && errno == EINTR
    let found = Ending(code)
    ending = found
    return found
  }
}
