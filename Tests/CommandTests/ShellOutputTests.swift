import Foundation
import Processes
import Secrets
import TestSupport
import Testing

@testable import smilepile

/// A command that prints a password must not block a job forever.
@Suite(.waitsForPrograms) struct ShellOutputTests {
  /// Runs a command and returns why it failed.
  private func failure(
    _ command: String, timeLimit: Duration? = .seconds(60), isCancelled: @escaping () -> Bool = { false }
  ) -> ChildProcess.Failure? {
    do throws(ChildProcess.Failure) {
      _ = try ShellOutput(timeLimit: timeLimit, isCancelled: isCancelled).firstLine(of: command, .password)
      return nil
    } catch {
      return error
    }
  }

  private static let soon = Duration.milliseconds(300)

  @Test(
    "Password command: time limit and cancellation end it",
    arguments: ["sleep 300", "echo word; sleep 300", "exec >&-; sleep 300", "yes", "tr '\\0' x < /dev/zero"])
  func timeLimit(_ command: String) {
    #expect(failure(command, timeLimit: Self.soon) == .timeLimit(Self.soon))
    #expect(failure(command, isCancelled: { true }) == .cancelled)
  }

  /// The named pipe ends when no process has it open.
  @Test("Password command: the time limit ends its background processes")
  func childProcesses() throws {
    let scratch = ScratchFolder()
    let pipe = scratch.path.appending("pipe").string
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let command = "{ echo x; sleep 300; } > '\(pipe)' & sleep 300"
    #expect(failure(command, timeLimit: Self.soon) == .timeLimit(Self.soon))
    _ = fcntl(reader, F_SETFL, 0)
    let bytes = FileHandle(fileDescriptor: reader).readDataToEndOfFile()
    #expect(String(decoding: bytes, as: UTF8.self) == "x\n")
  }

  /// An agent that the command starts keeps the output open.
  @Test("Password command: a background process is not waited for")
  func backgroundProcess() throws {
    let scratch = ScratchFolder()
    let file = scratch.path("pid").string
    for command in [
      "sleep 300 & echo $! > '\(file)'; echo word", "echo word; sleep 300 & echo $! > '\(file)'",
    ] {
      let line = try ShellOutput(timeLimit: nil).firstLine(of: command, .password)
      #expect(try line.get() == Secret("word"))
      let id = try #require(pid_t(try String(contentsOfFile: file, encoding: .utf8).dropLast()))
      #expect(kill(id, SIGKILL) == 0, "it has ended before")
    }
  }

  @Test("Password command: the error of the time limit has a remedy")
  func remedy() {
    #expect(
      SecretError.command(.password, .timeLimit(.seconds(120))).description
        == "the command for the password was stopped after 120 s, because it printed nothing and there is no terminal; "
        + "use --password-file")
  }
}
