import Logging
import Operations
import Processes

/// Runs a shell command before or after a backup: in its own process group, with a time limit, and with its
/// output line by line in the log.
struct HookRun {
  /// The name of the hook: `before`, `after`, `on-failure`, `finally`.
  let name: String
  let command: String
  /// Variables that are added to the environment of this process.
  let environment: [String: String]
  /// The time limit in seconds.
  let timeLimit: Double
  /// Returns true if the command must be terminated.
  let isCancelled: () -> Bool

  private static let logger = Logger(label: "smilepile.hook")

  /// Why a hook did not succeed.
  struct Failure: ExplainedError, Equatable, CustomStringConvertible {
    let name: String
    let reason: Reason

    enum Reason: Equatable {
      /// The command did not succeed.
      case process(ChildProcess.Failure)
      /// The command was not run, since other users can change a program in it.
      case refused(String)
    }

    var cause: ErrorCause { reason == .process(.cancelled) ? .cancelled : .other }

    var description: String {
      switch reason {
      case .process(.timeLimit(let limit)):
        "the hook “\(name)” \(ChildProcess.Failure.timeLimit(limit)); increase “time-limit” in “hooks”"
      case .process(let failure): "the hook “\(name)” \(failure)"
      case .refused(let reason): "the hook “\(name)” was not run: \(reason)"
      }
    }
  }

  /// Runs the command. Blocks until the command has ended.
  func run() throws(Failure) {
    do {
      try ShellPrograms.requireOwnership(in: command)
    } catch {
      throw Failure(name: name, reason: .refused("\(error)"))
    }
    var process = ChildProcess(shell: command)
    process.environment = environment
    process.input = .bytes([])
    process.capture = .merged
    process.leadsGroup = true
    process.timeLimit = .seconds(timeLimit)
    var lines = LogLines(name)
    defer { lines.finish() }
    do throws(ChildProcess.Failure) {
      try process.run(isCancelled: isCancelled) { lines.append($1) }
    } catch {
      throw Failure(name: name, reason: .process(error))
    }
  }

  /// Writes the output of a command to the log, line by line.
  private struct LogLines {
    let name: String
    private var rest: [UInt8] = []
    private static let longest = 4096

    init(_ name: String) { self.name = name }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
      rest += bytes
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        log(rest[..<end])
        rest.removeSubrange(...end)
      }
      if rest.count >= Self.longest { finish() }
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
