import Foundation
import TestSupport
import Testing

@testable import Jobs

struct HookTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func run(
    _ command: String, timeLimit: Double = 60, isCancelled: @escaping () -> Bool = { false }
  ) -> HookRun.Failure? {
    do throws(HookRun.Failure) {
      try HookRun(
        name: "after", command: command, environment: ["SMILEPILE_JOB": "a b\"c'$d"], timeLimit: timeLimit,
        isCancelled: isCancelled
      ).run()
      return nil
    } catch {
      return error
    }
  }

  @Test func factsAreInItsEnvironmentAsTheyAre() throws {
    let file = scratch.path.appending("out").string
    #expect(run("printf %s \"$SMILEPILE_JOB\" > '\(file)'") == nil)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "a b\"c'$d")
  }

  @Test func statusIsTold() {
    #expect(run("exit 7") == .status("after", 7))
    #expect(run("kill -9 $$") == .status("after", 137))
    #expect(run("/nowhere/at/all 2>/dev/null") == .status("after", 127))
  }

  @Test func whatTakesTooLongIsEndedWithAllItStarted() throws {
    let file = scratch.path.appending("pid").string
    let start = ContinuousClock.now
    #expect(run("sleep 300 & echo $! > '\(file)'; sleep 300", timeLimit: 0.5) == .timeLimit("after", 0.5))
    #expect(ContinuousClock.now - start < .seconds(20))
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    // whoever inherits it may take a moment to notice
    var isGone = false
    for _ in 0..<50 where !isGone {
      isGone = kill(child, 0) != 0 || Self.isZombie(child)
      if !isGone { usleep(100_000) }
    }
    #expect(isGone)
  }

  private static func isZombie(_ process: pid_t) -> Bool {
    let status = FileManager.default.contents(atPath: "/proc/\(process)/stat") ?? Data()
    return String(decoding: status, as: UTF8.self).contains(") Z ")
  }

  @Test func cancellationEndsIt() {
    #expect(run("sleep 300", isCancelled: { true }) == .cancelled("after"))
  }

  @Test func manyLinesDoNotStopIt() { #expect(run("seq 1 20000") == nil) }

  /// What it leaves running in the background is not waited for.
  @Test func backgroundIsNotWaitedFor() {
    let start = ContinuousClock.now
    #expect(run("sleep 20 &") == nil)
    #expect(ContinuousClock.now - start < .seconds(15))
  }
}
