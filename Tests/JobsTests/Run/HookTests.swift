import Foundation
import Processes
import TestSupport
import Testing

@testable import Jobs

@Suite(.waitsForPrograms) struct HookTests {
  private let scratch = ScratchFolder()

  /// Runs a hook and returns why it failed.
  private func run(
    _ command: String, timeLimit: Double = 60, isCancelled: @escaping () -> Bool = { false }
  ) -> ChildProcess.Failure? {
    do throws(HookRun.Failure) {
      try HookRun(
        name: "after", command: command, environment: ["SMILEPILE_JOB": "a b\"c'$d"], timeLimit: timeLimit,
        isCancelled: isCancelled
      ).run()
      return nil
    } catch {
      #expect(error.name == "after")
      guard case .process(let failure) = error.reason else {
        Issue.record("\(error)")
        return nil
      }
      return failure
    }
  }

  @Test("Hook: environment variables are passed unchanged")
  func environment() throws {
    let file = scratch.path.appending("out").string
    #expect(run("printf %s \"$SMILEPILE_JOB\" > '\(file)'") == nil)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "a b\"c'$d")
  }

  @Test("Hook: the exit status is reported")
  func exitStatus() {
    #expect(run("exit 7") == .status(7))
    #expect(run("kill -9 $$") == .status(137))
    #expect(run("/nowhere/at/all 2>/dev/null") == .status(127))
  }

  /// The background process holds the pipe open until it is killed.
  @Test("Hook: the time limit ends it and its background processes")
  func timeLimit() throws {
    let pipe = scratch.path.appending("pipe").string
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let command = "{ echo x; sleep 300; } > '\(pipe)' & sleep 300"
    #expect(run(command, timeLimit: 0.5) == .timeLimit(.seconds(0.5)))
    _ = fcntl(reader, F_SETFL, 0)
    let bytes = FileHandle(fileDescriptor: reader).readDataToEndOfFile()
    #expect(String(decoding: bytes, as: UTF8.self) == "x\n")
  }

  @Test("Hook: at the time limit its child processes have time to clean up")
  func childCleanup() throws {
    let (script, tidied) = (scratch.path.appending("script").string, scratch.path.appending("tidied").string)
    try "trap 'sleep 0.5; echo yes > \(tidied); exit 1' TERM\nsleep 300 & wait\n"
      .write(toFile: script, atomically: true, encoding: .utf8)
    #expect(run("sh '\(script)'; true", timeLimit: 0.5) == .timeLimit(.seconds(0.5)))
    #expect(try String(contentsOfFile: tidied, encoding: .utf8) == "yes\n")
  }

  @Test("Hook: cancellation ends it")
  func cancellation() {
    #expect(run("sleep 300", isCancelled: { true }) == .cancelled)
  }

  @Test("Hook: time limit and cancellation end one with endless output")
  func endlessOutput() {
    #expect(run("tr '\\0' x < /dev/zero", timeLimit: 0.3) == .timeLimit(.seconds(0.3)))
    #expect(run("tr '\\0' x < /dev/zero", isCancelled: { true }) == .cancelled)
  }

  @Test("Hook: 20,000 lines of output do not block it")
  func longOutput() { #expect(run("seq 1 20000") == nil) }

  @Test("Hook: a background process is not waited for")
  func backgroundProcess() throws {
    let file = scratch.path.appending("pid").string
    #expect(run("sleep 300 & echo $! > '\(file)'") == nil)
    let id = try #require(pid_t(try String(contentsOfFile: file, encoding: .utf8).dropLast()))
    #expect(kill(id, SIGKILL) == 0, "it has ended before")
  }

  @Test("Hook: a program that others can change is not run")
  func refusedProgram() throws {
    let result = scratch.path("result").string
    let program = try scratch.writeProgram("#!/bin/sh\n: > '\(result)'\n", to: "program").string
    chmod(program, 0o777)
    let hook = HookRun(
      name: "before", command: "true; \(program) x", environment: [:], timeLimit: 60, isCancelled: { false })
    let failure = #expect(throws: HookRun.Failure.self) { try hook.run() }
    #expect(failure?.description.contains("was not run: other users can write to") == true)
    #expect(!FileManager.default.fileExists(atPath: result))
    chmod(program, 0o700)
    try hook.run()
    #expect(FileManager.default.fileExists(atPath: result))
  }
}
