import Synchronization
import Testing

@testable import Operations

struct ProgressCounterTests {
  @Test(
    "Progress: the fraction is by bytes, or by items",
    arguments: [
      (Progress(phase: .planning), 0),
      (Progress(phase: .reading, totalItems: 4, processedItems: 1), 0.25),
      (
        Progress(phase: .reading, totalItems: 4, processedItems: 1, totalBytes: 200, bytesProcessed: 150),
        0.75
      ),
      (Progress(phase: .reading, totalItems: 1, processedItems: 3), 1),
      (Progress(phase: .reading, totalBytes: 100, bytesProcessed: 170), 1),
      (Progress(phase: .finished), 1),
      (Progress(phase: .finished, totalItems: 9, totalBytes: 9), 1),
    ] as [(Progress, Double)])
  func fraction(progress: Progress, fraction: Double) {
    #expect(progress.fractionCompleted == fraction)
  }

  @Test("Progress: a finding that occurs again after a restart is reported once")
  func repeatedFindings() {
    let received = Mutex<[String]>([])
    let counter = ProgressCounter { finding in received.withLock { $0.append(finding.item) } }
    for item in ["a", "b", "b"] { counter.report(Finding(.file(item), "it is corrupt")) }
    counter.restart()
    for item in ["b", "c", "a", "b", "b"] { counter.report(Finding(.file(item), "it is corrupt")) }
    #expect(received.withLock { $0 } == ["a", "b", "b", "c", "b"])
    #expect(counter.current.errorCount == 5)
  }

  @Test("Progress: items and bytes are counted")
  func counting() {
    let counter = ProgressCounter()
    #expect(counter.current.phase == .planning)
    counter.setTotals(items: 3, bytes: 300)
    counter.enter(.reading)
    counter.advance(current: "a.jpg")
    counter.advance(items: 1, bytes: 100)
    let first = counter.current
    #expect(first.phase == .reading)
    #expect((first.processedItems, first.bytesProcessed) == (1, 100))
    #expect((first.totalItems, first.totalBytes) == (3, 300))
    #expect(first.currentItem == "a.jpg")
    counter.advance(items: 2, bytes: 200, current: "c.jpg")
    #expect(counter.current.fractionCompleted == 1)
    #expect(counter.current.elapsed >= first.elapsed)
  }

  @Test("Progress: the sum of declared sizes may exceed an Int")
  func overflow() {
    let counter = ProgressCounter()
    counter.setTotals(items: 2, bytes: .max)
    for _ in 0..<2 { counter.advance(items: 1, bytes: .max / 2 + 1) }
    #expect(counter.current.bytesProcessed == .max)
    #expect(counter.current.fractionCompleted == 1)
  }

  @Test("Progress: a new phase has no current item")
  func newPhase() {
    let counter = ProgressCounter()
    counter.advance(items: 1, current: "a.jpg")
    counter.enter(.committing)
    #expect(counter.current.currentItem == nil)
    #expect(counter.current.processedItems == 1)
  }

  @Test("Progress: late totals keep the counts")
  func lateTotals() {
    let counter = ProgressCounter()
    counter.advance(items: 1, bytes: 10)
    counter.setTotals(items: 2, bytes: 40)
    #expect(counter.current.fractionCompleted == 0.25)
  }

  @Test("Progress: each part has its own totals and share")
  func parts() {
    let counter = ProgressCounter()
    counter.begin(0...0.5)
    counter.setTotals(items: 2, bytes: 20)
    counter.advance(items: 2, bytes: 20)
    #expect(counter.current.fractionCompleted == 0.5)
    counter.begin(0.5...1)
    #expect(counter.current.fractionCompleted == 0.5)
    #expect(counter.current.processedItems == 0)
    counter.setTotals(items: 4, bytes: 40)
    counter.advance(items: 2, bytes: 20)
    #expect(counter.current.fractionCompleted == 0.75)
    #expect(counter.current.processedItems == 2)
  }

  @Test("Progress: a part can be divided into equal parts")
  func equalParts() {
    let counter = ProgressCounter()
    counter.begin(0.5...1)
    #expect(counter.parts(2) == [0.5...0.75, 0.75...1])
    #expect(counter.parts(0) == [])
  }

  @Test("Progress: the rest of a part begins even if its first part fails")
  func firstPart() {
    struct Failure: Error {}
    let counter = ProgressCounter()
    #expect(throws: Failure.self) { try counter.inFirstPart(0.25) { throw Failure() } }
    #expect(counter.current.fractionCompleted == 0.25)
  }

  @Test("Progress: a restart does not decrease the percentage")
  func restart() {
    let counter = ProgressCounter()
    counter.setTotals(items: 4, bytes: 40)
    counter.advance(items: 2, bytes: 20)
    counter.restart()
    #expect(counter.current.fractionCompleted == 0.5)
    counter.advance(items: 1, bytes: 15)
    #expect(counter.current.fractionCompleted == 0.5)
    counter.advance(items: 2, bytes: 15)
    #expect(counter.current.processedItems == 3)
    #expect(counter.current.fractionCompleted == 0.75)
    counter.advance(items: 1, bytes: 10)
    #expect(counter.current.fractionCompleted == 1)
  }

  @Test("Progress: a second restart does not decrease it either")
  func secondRestart() {
    let counter = ProgressCounter()
    counter.setTotals(items: 0, bytes: 40)
    counter.advance(bytes: 20)
    counter.restart()
    counter.advance(bytes: 10)
    counter.restart()
    counter.advance(bytes: 20)
    #expect(counter.current.bytesProcessed == 20)
    counter.advance(bytes: 20)
    #expect(counter.current.bytesProcessed == 40)
  }

  @Test("Progress: smaller totals limit the counts")
  func smallerTotals() {
    let counter = ProgressCounter()
    counter.setTotals(items: 4, bytes: 40)
    counter.advance(items: 3, bytes: 30)
    counter.setTotals(items: 2, bytes: 20)
    #expect(counter.current.processedItems == 2)
    #expect(counter.current.fractionCompleted == 1)
  }

  @Test("Progress: the remaining time is estimated from the rate")
  func estimate() throws {
    let counter = ProgressCounter(startedAt: .now - .seconds(10))
    counter.setTotals(items: 0, bytes: 100)
    counter.advance(bytes: 25)
    let estimate = try #require(counter.current.estimatedRemaining)
    #expect(estimate >= .seconds(30))
    #expect(estimate < .seconds(60))
    counter.advance(bytes: 50)
    let later = try #require(counter.current.estimatedRemaining)
    #expect(later >= .milliseconds(3333))
    #expect(later < .seconds(10))
    counter.advance(bytes: 25)
    #expect(counter.current.estimatedRemaining == nil)
  }

  @Test("Progress: there is no estimate before the rate is significant")
  func noEstimate() {
    let young = ProgressCounter(startedAt: .now + .seconds(3600))
    young.setTotals(items: 0, bytes: 100)
    young.advance(bytes: 50)
    #expect(young.current.estimatedRemaining == nil)
    let slow = ProgressCounter(startedAt: .now - .seconds(3600))
    slow.setTotals(items: 0, bytes: 1000)
    slow.advance(bytes: 10)
    #expect(slow.current.estimatedRemaining == nil)
  }

  @Test("Progress: the operation sees a cancellation")
  func cancellation() throws {
    let counter = ProgressCounter()
    try counter.checkCancellation()
    counter.cancel()
    #expect(counter.isCancelled)
    #expect(throws: CancellationError.self) { try counter.checkCancellation() }
  }

  @Test("Progress: many threads count correctly")
  func threads() throws {
    let counter = ProgressCounter()
    counter.setTotals(items: 10_000, bytes: 70_000)
    try Workers.forEach(0..<10_000, threads: 8) { _ in counter.advance(items: 1, bytes: 7) }
    #expect(counter.current.processedItems == 10_000)
    #expect(counter.current.bytesProcessed == 70_000)
  }
}
