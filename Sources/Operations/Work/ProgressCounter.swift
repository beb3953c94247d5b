import Synchronization

/// The counters that worker threads increment, and the request to cancel. No function waits, so a slow reader of the
/// progress never delays the operation.
public final class ProgressCounter: Sendable {
  private struct State {
    var progress = Progress(phase: .planning)
    var isCancelled = false
    /// Items and bytes that are processed again, and not counted a second time.
    var repeatedItems = 0
    var repeatedBytes = 0
    /// The findings up to now, and the number of those that occur again and are not reported twice.
    var findings: [Finding: Int] = [:]
    var repeatedFindings: [Finding: Int] = [:]
    /// The fraction at the start of the phase. Planning and skipped items do not count for the rate.
    var phaseFraction = 0.0
    var phaseStart: ContinuousClock.Instant?
  }

  /// The counter of the operation that runs on this thread; nil outside of `Work`.
  @TaskLocal package static var running: ProgressCounter?

  private let state = Mutex(State())
  private let start: ContinuousClock.Instant
  private let receive: @Sendable (Finding) -> Void

  /// Starts the clock.
  public convenience init() { self.init(startedAt: .now) }

  /// - Parameter receive: called for each finding when it is reported, by any thread. Must not wait.
  init(
    startedAt start: ContinuousClock.Instant = .now,
    _ receive: @escaping @Sendable (Finding) -> Void = { _ in }
  ) {
    (self.start, self.receive) = (start, receive)
  }

  /// True after `cancel`. Worker threads check it at least once for each buffer.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Requests the operation to stop.
  public func cancel() { state.withLock { $0.isCancelled = true } }

  /// Throws `CancellationError` after `cancel`.
  public func checkCancellation() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Sets the totals when the plan is known. Keeps the counts so far, up to the totals.
  public func setTotals(items: Int, bytes: Int) {
    state.withLock {
      $0.progress.totalItems = items
      $0.progress.totalBytes = bytes
      $0.progress.processedItems = min($0.progress.processedItems, items)
      $0.progress.bytesProcessed = min($0.progress.bytesProcessed, bytes)
    }
  }

  /// Begins a part of the operation. Its totals are not known yet.
  ///
  /// - Parameter share: the part's share of the operation. It must not begin before the previous part.
  public func begin(_ share: ClosedRange<Double>) {
    state.withLock {
      $0.progress.share = share
      ($0.progress.totalItems, $0.progress.totalBytes) = (0, 0)
      ($0.progress.processedItems, $0.progress.bytesProcessed) = (0, 0)
      ($0.repeatedItems, $0.repeatedBytes) = (0, 0)
    }
  }

  /// Starts the operation again from its beginning. What is processed or found again is not counted, so that the
  /// percentage never decreases.
  public func restart() {
    state.withLock {
      $0.repeatedItems = $0.progress.processedItems
      $0.repeatedBytes = $0.progress.bytesProcessed
      $0.repeatedFindings = $0.findings
    }
  }

  /// Runs the first part of a part of the operation. The rest of the share is for what follows.
  package func inFirstPart<Result>(_ fraction: Double, _ body: () throws -> Result) rethrows -> Result {
    let share = state.withLock { $0.progress.share }
    let border = share.lowerBound + (share.upperBound - share.lowerBound) * fraction
    begin(share.lowerBound...border)
    do {
      let result = try body()
      begin(border...share.upperBound)
      return result
    } catch  where error.cause != .cancelled {
      // the caller may go on with the rest
      begin(border...share.upperBound)
      throw error
    }
  }

  /// Returns equal parts of the current share, each for one call of `begin`.
  package func parts(_ count: Int) -> [ClosedRange<Double>] {
    let share = state.withLock { $0.progress.share }
    let width = (share.upperBound - share.lowerBound) / Double(max(1, count))
    let borders = (0...count).map { min(share.upperBound, share.lowerBound + Double($0) * width) }
    return zip(borders, borders.dropFirst()).map { $0...$1 }
  }

  /// Enters a phase.
  public func enter(_ phase: Progress.Phase) {
    state.withLock {
      $0.progress.phase = phase
      $0.progress.currentItem = nil
      $0.phaseFraction = $0.progress.fractionCompleted
      $0.phaseStart = .now
    }
  }

  /// Counts processed items and bytes.
  public func advance(items: Int = 0, bytes: Int = 0, current: String? = nil) {
    state.withLock {
      let repeatedItems = min(items, $0.repeatedItems)
      let repeatedBytes = min(bytes, $0.repeatedBytes)
      $0.repeatedItems -= repeatedItems
      $0.repeatedBytes -= repeatedBytes
      $0.progress.processedItems += items - repeatedItems
      // an item that cannot be read to its end counts with its declared size, which may be any number
      $0.progress.bytesProcessed = $0.progress.bytesProcessed.saturated(plus: bytes - repeatedBytes)
      if let current { $0.progress.currentItem = current }
    }
  }

  /// Counts a finding, and passes it on at once to the reader of `Work.findings`. The summary of the operation contains
  /// the finding, too.
  public func report(_ finding: Finding) {
    let isRepeated = state.withLock { state in
      if let count = state.repeatedFindings[finding], count > 0 {
        state.repeatedFindings[finding] = count - 1
        return true
      }
      state.findings[finding, default: 0] += 1
      state.progress.errorCount += 1
      return false
    }
    if !isRepeated { receive(finding) }
  }

  /// Reports findings in their order.
  public func report(_ findings: [Finding]) {
    for finding in findings { report(finding) }
  }

  /// Reports those findings of a result that were not reported when they occurred.
  func reportRest(of findings: [Finding]) {
    let rest = state.withLock { state in
      var reported = state.findings
      let rest = findings.filter { finding in
        guard let count = reported[finding], count > 0 else { return true }
        reported[finding] = count - 1
        return false
      }
      state.progress.errorCount += rest.count
      return rest
    }
    for finding in rest { receive(finding) }
  }

  /// A snapshot, including the times.
  public var current: Progress {
    let now = ContinuousClock.now
    let (state, phaseStart) = state.withLock { ($0, $0.phaseStart ?? start) }
    var progress = state.progress
    progress.elapsed = now - start
    let fraction = progress.fractionCompleted
    let (gained, time) = (fraction - state.phaseFraction, now - phaseStart)
    // within half a second or one percent, the rate is not significant
    if gained > 0.01 && fraction < 1 && time > .milliseconds(500) {
      progress.estimatedRemaining = time * ((1 - fraction) / gained)
    }
    return progress
  }
}
