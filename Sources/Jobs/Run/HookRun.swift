import FileSystem
import Foundation
import Glibc
import Logging
import Operations
import Synchronization

/// Runs a shell command beside a backup: in a process group of its own, its output line by line into the log, ended
/// when its time is over.
struct HookRun {
  /// Which hook: `before`, `after`, `on-failure`, `finally`.
  let name: String
  let command: String
  /// Added to what this process has.
  let environment: [String: String]
  /// In seconds.
  let timeLimit: Double
  /// True when everything is to stop.
  let isCancelled: () -> Bool

  private static let logger = Logger(label: "smilepile.hook")
  /// How long a command has to end by itself after it was asked to.
  private static let grace = Duration.seconds(10)
  /// The process groups of commands that have not ended.
  private static let groups = Mutex<Set<pid_t>>([])

  /// Asks every command to end that has not.
  static func endAll() {
    groups.withLock { for group in $0 { kill(-group, SIGTERM) } }
  }

  /// Why a hook did not do its work.
  enum Failure: Error, Equatable, CustomStringConvertible {
    case notStarted(String, errno: CInt)
    case status(String, Int)
    case timeLimit(String, Double)
    case cancelled(String)

    /// It was ended since everything is to stop.
    var isCancellation: Bool { if case .cancelled = self { true } else { false } }

    var description: String {
      switch self {
      case .notStarted(let name, let errno):
        "the hook “\(name)” cannot be started: \(String(cString: strerror(errno)))"
      case .status(let name, let status):
        "the hook “\(name)” failed with exit status \(status)"
      case .timeLimit(let name, let seconds):
        "the hook “\(name)” was ended after \(Int(seconds)) s; raise hooks: time-limit, or make it faster"
      case .cancelled(let name): "the hook “\(name)” was stopped"
      }
    }
  }

  /// Blocks until the command has ended.
  func run() throws(Failure) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .notStarted(name, errno: errno) }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process: pid_t
    do throws(Failure) {
      process = try start(output: ends[1])
    } catch {
      close(ends[1])
      throw error
    }
    close(ends[1])
    Self.groups.withLock { _ = $0.insert(process) }
    defer { Self.groups.withLock { _ = $0.remove(process) } }
    let status = try wait(for: process, reading: ends[0])
    guard status == 0 else { throw .status(name, status) }
  }

  private func start(output: CInt) throws(Failure) -> pid_t {
    var shell = ShellCommand(command)
    shell.streams = [STDOUT_FILENO: output, STDERR_FILENO: output]
    shell.readsNothing = true
    shell.leadsGroup = true
    shell.environment = environment
    do throws(ShellCommand.NotStarted) {
      return try shell.start()
    } catch {
      throw .notStarted(name, errno: error.errno)
    }
  }

  /// Logs what the command prints, and waits for its end; of what it started in the background nothing is waited for.
  private func wait(for process: pid_t, reading output: CInt) throws(Failure) -> Int {
    let deadline = ContinuousClock.now + .seconds(timeLimit)
    var killAt: ContinuousClock.Instant?
    var ending: Failure?
    var lines = LineLog(name)
    var status: CInt = 0
    while true {
      lines.read(from: output, waiting: 100)
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { break }
      if ended < 0, errno != EINTR { throw .notStarted(name, errno: errno) }
      let now = ContinuousClock.now
      if ending == nil, isCancelled() || now >= deadline {
        ending = isCancelled() ? .cancelled(name) : .timeLimit(name, timeLimit)
        killAt = now + Self.grace
        kill(-process, SIGTERM)
      }
      if let time = killAt, now >= time {
        kill(-process, SIGKILL)
        killAt = nil
      }
    }
    // what the shell started may still be tidying up; what is too late for that leaves nobody behind
    while let time = killAt, ContinuousClock.now < time, Self.isAlive(group: process) {
      lines.read(from: output, waiting: 100)
    }
    if ending != nil { kill(-process, SIGKILL) }
    lines.read(from: output, waiting: 0)
    lines.finish()
    if let ending { throw ending }
    return ShellCommand.exitStatus(status)
  }

  /// Whether a process of a group has not ended, whoever is to wait for it.
  private static func isAlive(group: pid_t) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.compactMap { RunningProcess($0) }
      .contains { $0.group == group && !$0.isZombie }
  }

  /// What a command prints, as lines of the log.
  private struct LineLog {
    let name: String
    private var rest: [UInt8] = []
    private static let longest = 4096
    /// At a time: what a pipe holds. A command that never stops printing has to be looked after all the same. pipe(7)
    private static let mostBytes = 64 << 10

    init(_ name: String) { self.name = name }

    mutating func read(from output: CInt, waiting milliseconds: CInt) {
      var buffer = [UInt8](repeating: 0, count: Self.longest)
      var timeout = milliseconds
      var taken = 0
      while taken < Self.mostBytes {
        var wanted = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, timeout) > 0 else { return }
        let count = Glibc.read(output, &buffer, buffer.count)
        guard count > 0 else {
          // nobody prints any more, and the command may go on
          if timeout > 0 { usleep(UInt32(timeout) * 1000) }
          return
        }
        timeout = 0
        taken += count
        rest += buffer[..<count]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          log(rest[..<end])
          rest.removeSubrange(...end)
        }
        if rest.count >= Self.longest { finish() }
      }
    }

    mutating func finish() {
      if !rest.isEmpty { log(rest[...]) }
      rest = []
    }

    private func log(_ line: ArraySlice<UInt8>) {
      HookRun.logger.notice("\(name): \(String(decoding: line, as: UTF8.self))")
    }
  }
}
