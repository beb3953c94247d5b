import Foundation
import Glibc
import TestSupport

/// The descriptors between a command and the harness: two pipes, or one pseudo-terminal.
///
/// All are closed on exec. Otherwise a command that another test starts at the same time would keep them open, and the
/// harness would never read their end.
struct Channels {
  /// The harness's ends, -1 once the other side is closed. A terminal has only the first.
  private var output: CInt
  private var error: CInt = -1
  /// The command's ends of the pipes.
  private var childOutput: CInt = -1
  private var childError: CInt = -1
  /// The path of the command's side of the terminal.
  private var terminal: String?

  static func pipes() throws -> Channels {
    let output = try pipe()
    let error = try pipe()
    return Channels(
      output: output.read, error: error.read, childOutput: output.write, childError: error.write)
  }

  /// Creates a FIFO whose name is removed at once. Swift does not import pipe2(2), and pipe(2) cannot set O_CLOEXEC.
  private static func pipe() throws -> (read: CInt, write: CInt) {
    let scratch = ScratchFolder()
    let path = scratch.path("pipe").string
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError.current }
    // Without O_NONBLOCK each call would wait for the other.
    let read = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let write = open(path, O_WRONLY | O_CLOEXEC)
    guard read >= 0, write >= 0 else { throw POSIXError.current }
    return (read, write)
  }

  /// Opens a new pseudo-terminal of 24 lines. Swift imports neither posix_openpt(3) nor the request numbers of
  /// TIOCSPTLCK (unlock the terminal) and TIOCGPTN (get its number): see ioctl_tty(2).
  static func terminal(columns: Int) throws -> Channels {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var locked: CInt = 0
    var number: CInt = 0
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard
      master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0,
      ioctl(master, UInt(TIOCSWINSZ), &size) == 0
    else { throw POSIXError.current }
    return Channels(output: master, terminal: "/dev/pts/\(number)")
  }

  /// Whether more output may come.
  var areOpen: Bool { output >= 0 || error >= 0 }

  /// Adds the actions that give the command its side. The command leads a new session, so that the first terminal that
  /// it opens becomes its controlling terminal: `/dev/tty` and Control-C need one.
  func addActions(to actions: inout posix_spawn_file_actions_t) {
    if let terminal {
      posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
      posix_spawn_file_actions_adddup2(&actions, childError, 2)
    }
  }

  /// Closes the command's ends in this process, so that the harness reads the end of the output.
  mutating func closeChildEnds() {
    Self.close(&childOutput)
    Self.close(&childError)
  }

  /// Waits up to 20 ms for output, and reads what is available.
  mutating func read(into outcome: inout ShellCommand.Outcome) {
    // poll(2) ignores negative descriptors.
    var waiting = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: error, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&waiting, 2, 20) > 0 else { return }
    if waiting[0].revents != 0 { Self.read(&output, into: &outcome.output) }
    if waiting[1].revents != 0 { Self.read(&error, into: &outcome.error) }
  }

  /// Writes to the terminal, as if a user typed.
  func type(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
  }

  /// Closes all descriptors. The processes on a terminal get SIGHUP.
  mutating func close() {
    closeChildEnds()
    Self.close(&output)
    Self.close(&error)
  }

  private static func read(_ descriptor: inout CInt, into bytes: inout [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count > 0 {
      bytes += buffer[..<count]
    } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
      // Reading a terminal fails with EIO when the last process has closed it.
      close(&descriptor)
    }
  }

  private static func close(_ descriptor: inout CInt) {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}

extension POSIXError {
  /// The error in `errno`.
  fileprivate static var current: POSIXError { POSIXError(.init(rawValue: errno) ?? .EIO) }
}
