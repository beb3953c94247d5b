import Foundation
import Processes
import Secrets
import TestSupport
import Testing

@testable import smilepile

/// What a command for a password may not do: keep a job waiting for ever.
@Suite(.waitsForPrograms) struct ShellOutputTests {
  /// None of the commands here may be waited for until it ends by itself.
  private func failure(
    _ command: String, timeLimit: Duration? = .seconds(60), isCancelled: @escaping () -> Bool = { false }
  ) -> ChildProcess.Failure? {
    let start = ContinuousClock.now
    defer { #expect(ContinuousClock.now - start < .seconds(60)) }
    do throws(ChildProcess.Failure) {
      _ = try ShellOutput(timeLimit: timeLimit, isCancelled: isCancelled).firstLine(of: command)
      return nil
    } catch {
      return error
    }
  }

  private static let soon = Duration.milliseconds(300)

  @Test(
    arguments: ["sleep 300", "echo word; sleep 300", "exec >&-; sleep 300", "yes", "tr '\\0' x < /dev/zero"])
  func whatTakesTooLongIsEnded(_ command: String) {
    #expect(failure(command, timeLimit: Self.soon) == .timeLimit(Self.soon))
    #expect(failure(command, isCancelled: { true }) == .cancelled)
  }

  /// What it started goes with it: a pipe with a name is closed only when all who hold it are gone.
  @Test func itIsEndedWithAllItStarted() throws {
    let scratch = try ScratchFolder()
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

  /// An agent that a command starts keeps its output open for as long as it lives.
  @Test func backgroundIsNotWaitedFor() throws {
    let start = ContinuousClock.now
    for command in ["sleep 30 & echo word", "echo word; sleep 30 &"] {
      let line = try ShellOutput(timeLimit: nil).firstLine(of: command)
      #expect(try line.get() == Secret("word"))
    }
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func theRemedyIsSaid() {
    #expect(
      SecretError.commandTimeLimit(.password, seconds: 120).description
        == "the command for the password was ended after 120 s: there is no terminal at which it could ask; have it "
        + "answer by itself, or use --password-file")
  }
}
