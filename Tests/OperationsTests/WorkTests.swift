import Dispatch
import Operations
import Testing

struct WorkTests {
  private struct Failure: Error {}

  @Test("Work: the last progress is finished, and the summary is returned")
  func success() async throws {
    let work = Work { counter in
      counter.setTotals(items: 2, bytes: 20)
      counter.enter(.writing)
      counter.advance(items: 2, bytes: 20)
      return "done"
    }
    var last: Progress?
    var fraction = 0.0
    for await progress in work.progress {
      #expect(progress.fractionCompleted >= fraction)
      fraction = progress.fractionCompleted
      last = progress
    }
    #expect(last?.phase == .finished)
    #expect(last?.processedItems == 2)
    #expect(try await work.summary == "done")
    #expect(work.currentProgress.phase == .finished)
  }

  @Test("Work: a failure ends the stream and is thrown")
  func failure() async throws {
    let work = Work<Void> { counter in
      counter.enter(.reading)
      throw Failure()
    }
    var last: Progress?
    for await progress in work.progress { last = progress }
    #expect(last?.phase == .reading)
    await #expect(throws: Failure.self) { try await work.summary }
  }

  @Test("Work: findings are passed on while the operation runs, and are counted")
  func findings() async throws {
    let (received, receive) = AsyncStream.makeStream(of: Void.self)
    let work = Work { counter in
      counter.report(Finding(.file("a.jpg"), "it is corrupt"))
      // the operation goes on only after the finding was received
      let gate = DispatchSemaphore(value: 0)
      Task {
        for await _ in received {}
        gate.signal()
      }
      gate.wait()
      counter.report(Finding(.file("b.jpg"), "it is missing"))
    }
    var messages: [String] = []
    for await finding in work.findings {
      messages.append(finding.message)
      receive.finish()
    }
    #expect(messages == ["a.jpg: it is corrupt", "b.jpg: it is missing"])
    try await work.summary
    #expect(work.currentProgress.errorCount == 2)
  }

  /// A summary, or an error, with findings.
  private struct Report: FindingReport, Error {
    var findings: [Finding]
  }

  @Test(
    "Work: findings that only the summary or the error has are passed on at the end",
    arguments: [true, false])
  func findingsAtTheEnd(isError: Bool) async throws {
    let (first, second) = (Finding(.file("a.jpg"), "it is corrupt"), Finding(.file("b.jpg"), "it is missing"))
    let work = Work { counter in
      counter.report(second)
      let report = Report(findings: [first, second, first])
      if isError { throw report }
      return report
    }
    var findings: [Finding] = []
    for await finding in work.findings { findings.append(finding) }
    #expect(findings == [second, first, first])
    _ = try? await work.summary
    #expect(work.currentProgress.errorCount == 3)
  }

  @Test("Work: it needs no reader of its progress")
  func unwatched() async throws {
    #expect(try await Work { _ in 7 }.summary == 7)
  }

  /// The body runs until it is cancelled, so the tests end only if it is.
  private static func untilCancelled() -> Work<Int> {
    Work { counter in
      while true { try counter.checkCancellation() }
    }
  }

  @Test("Work: cancel stops it")
  func cancel() async throws {
    let work = Self.untilCancelled()
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.summary }
  }

  @Test("Work: cancelling the waiting task stops it")
  func cancelWaiting() async throws {
    let work = Self.untilCancelled()
    let waiter = Task { try await work.summary }
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
  }

  @Test("Work: cancelling the reader of the progress stops it")
  func cancelReader() async throws {
    let work = Self.untilCancelled()
    let reader = Task { for await _ in work.progress {} }
    reader.cancel()
    await reader.value
    await #expect(throws: CancellationError.self) { try await work.summary }
  }
}
