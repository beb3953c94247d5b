import Foundation
import TestSupport
import Testing

@testable import Processes

@Suite(.waitsForPrograms) struct ChildProcessTests {
  private static let soon = Duration.milliseconds(300)
  private let scratch = ScratchFolder()

  private func shell(_ command: String, leadsGroup: Bool = true) -> ChildProcess {
    var process = ChildProcess(shell: command)
    process.leadsGroup = leadsGroup
    process.gracePeriod = Self.soon
    return process
  }

  private func output(_ process: ChildProcess) throws -> ChildProcess.Output {
    try #require(try process.output(limit: 1 << 20))
  }

  @Test("Child process: output and exit status arrive, with errors apart or merged")
  func output() throws {
    var process = shell("echo one; echo two >&2; echo three; exit 7")
    process.capture = .separate
    let apart = try output(process)
    #expect(apart.status == 7)
    #expect(String(decoding: apart.output, as: UTF8.self) == "one\nthree\n")
    #expect(String(decoding: apart.errors, as: UTF8.self) == "two\n")
    process.capture = .merged
    #expect(String(decoding: try output(process).output, as: UTF8.self) == "one\ntwo\nthree\n")
  }

  @Test("Child process: a signal that ends it is 128 and its number")
  func signalStatus() throws {
    #expect(try output(shell("kill -9 $$")).status == 137)
  }

  @Test("Child process: input arrives whole, and may stay unread", arguments: [0, 5, 1 << 20])
  func input(count: Int) throws {
    var process = shell("cat | wc -c")
    process.input = .bytes([UInt8](repeating: 1, count: count))
    #expect(String(decoding: try output(process).output, as: UTF8.self) == "\(count)\n")
    process.arguments = ["-c", "exit 0"]
    #expect(try output(process).status == 0)
  }

  @Test("Child process: a variable replaces an inherited one")
  func environment() throws {
    var process = shell("echo \"$HOME|$PATH\"")
    process.environment = ["HOME": "a b\"$c"]
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    #expect(String(decoding: try output(process).output, as: UTF8.self) == "a b\"$c|\(path)\n")
  }

  @Test("Child process: more output than the limit is no output")
  func outputLimit() throws {
    #expect(try shell("printf 12345").output(limit: 5)?.output.count == 5)
    #expect(try shell("printf 123456").output(limit: 5) == nil)
    #expect(try output(shell("seq 1 100000")).output.count == 588_895)
  }

  @Test("Child process: a missing program is an error")
  func missingProgram() {
    #expect(throws: ChildProcess.Failure.notRun(errno: ENOENT)) {
      try ChildProcess("/nowhere/at/all", []).output(limit: 1)
    }
    #expect(ChildProcess.find("sh") != nil)
    #expect(ChildProcess.find("no such program") == nil)
  }

  @Test("Child process: a background process that holds the output open is not waited for")
  func backgroundProcess() throws {
    let result = try output(shell("sleep 300 & echo $!"))
    let id = try #require(pid_t(String(decoding: result.output.dropLast(), as: UTF8.self)))
    #expect(kill(id, SIGKILL) == 0, "it has ended before")
  }

  @Test("Child process: one that ignores SIGTERM is killed after the grace period", arguments: [true, false])
  func ignoredTermination(leadsGroup: Bool) {
    // exec: without a group, only the process itself gets the signals
    var process = shell("trap '' TERM; exec sleep 300", leadsGroup: leadsGroup)
    process.timeLimit = Self.soon
    #expect(throws: ChildProcess.Failure.timeLimit(Self.soon)) { try process.output(limit: 1) }
    #expect(throws: ChildProcess.Failure.cancelled) { try process.run(isCancelled: { true }) { _, _ in } }
  }

  @Test("Child process: a background process of the group that ignores SIGTERM is killed, too")
  func ignoredTerminationInBackground() throws {
    // the pipe closes when the background process ends
    let pipe = scratch.path.appending("pipe").string
    try #require(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    var process = shell("{ trap '' TERM; exec sleep 300; } > '\(pipe)' & echo started; wait")
    process.timeLimit = Self.soon
    var printed = ""
    #expect(throws: ChildProcess.Failure.timeLimit(Self.soon)) {
      try process.run { printed += String(decoding: $1, as: UTF8.self) }
    }
    #expect(printed == "started\n")
    var closed = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    #expect(poll(&closed, 1, 60_000) == 1)
    #expect(closed.revents == Int16(POLLHUP))
  }

  @Test("Child process: the whole group has the grace period to end by itself")
  func gracePeriodOfGroup() throws {
    let (script, file) = (scratch.path.appending("script").string, scratch.path.appending("ended").string)
    try "trap 'sleep 0.5; echo yes > \(file); exit 1' TERM\nsleep 300 & wait\n"
      .write(toFile: script, atomically: true, encoding: .utf8)
    var process = shell("sh '\(script)'; true")
    process.gracePeriod = .seconds(60)
    process.timeLimit = Self.soon
    #expect(throws: ChildProcess.Failure.timeLimit(Self.soon)) { try process.output(limit: 1) }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "yes\n")
  }

  @Test("Child process: endless output does not delay the time limit")
  func endlessOutput() {
    var process = shell("tr '\\0' x < /dev/zero")
    process.timeLimit = Self.soon
    #expect(throws: ChildProcess.Failure.timeLimit(Self.soon)) { try process.output(limit: 1) }
  }
}
