import Synchronization

/// The counters that working threads bump; a ticker reads them. Nothing here waits, so a slow reader of the
/// progress never slows the work.
public final class ProgressCounter: Sendable {
  private struct State {
    var progress = Progress(phase: .planning)
    var isCancelled = false
    /// What is still to be done once more before it counts.
    var repeatedItems = 0
    var repeatedBytes = 0
    /// Where the phase began: planning, and what needs no work, say nothing about the speed of the rest.
    var phaseFraction = 0.0
    var phaseStart: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let start: ContinuousClock.Instant

  /// Starts the clock.
  public convenience init() { self.init(startedAt: .now) }

  init(startedAt start: ContinuousClock.Instant) { self.start = start }

  /// True once the work was asked to stop. Working threads look at it at least once a buffer.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Asks the work to stop.
  public func cancel() { state.withLock { $0.isCancelled = true } }

  /// Throws `CancellationError` once the work was asked to stop.
  public func checkCancellation() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Sets the totals, once the plan is known. What was counted so far stays, up to the totals.
  public func setTotals(items: Int, bytes: Int) {
    state.withLock {
      $0.progress.totalItems = items
      $0.progress.totalBytes = bytes
      $0.progress.processedItems = min($0.progress.processedItems, items)
      $0.progress.bytesProcessed = min($0.progress.bytesProcessed, bytes)
    }
  }

  /// Begins a part of the work, with totals of its own that are not known yet.
  ///
  /// - Parameter share: where in the whole it lies; not before the part that came before it.
  public func begin(_ share: ClosedRange<Double>) {
    state.withLock {
      $0.progress.share = share
      ($0.progress.totalItems, $0.progress.totalBytes) = (0, 0)
      ($0.progress.processedItems, $0.progress.bytesProcessed) = (0, 0)
      ($0.repeatedItems, $0.repeatedBytes) = (0, 0)
    }
  }

  /// Says that the work begins again. What is done once more counts only from where it stood, so that the
  /// percentage waits and never runs backwards.
  public func restart() {
    state.withLock {
      $0.repeatedItems = $0.progress.processedItems
      $0.repeatedBytes = $0.progress.bytesProcessed
    }
  }

  /// Says what the work is doing now.
  public func enter(_ phase: Progress.Phase) {
    state.withLock {
      $0.progress.phase = phase
      $0.progress.currentItem = nil
      $0.phaseFraction = $0.progress.fractionCompleted
      $0.phaseStart = .now
    }
  }

  /// Counts work as done.
  public func advance(items: Int = 0, bytes: Int = 0, current: String? = nil) {
    state.withLock {
      let repeatedItems = min(items, $0.repeatedItems)
      let repeatedBytes = min(bytes, $0.repeatedBytes)
      $0.repeatedItems -= repeatedItems
      $0.repeatedBytes -= repeatedBytes
      $0.progress.processedItems += items - repeatedItems
      // what could not be read to its end counts by what it declares
      $0.progress.bytesProcessed = $0.progress.bytesProcessed.saturated(plus: bytes - repeatedBytes)
      if let current { $0.progress.currentItem = current }
    }
  }

  /// A snapshot, with the times filled in.
  public var current: Progress {
    let now = ContinuousClock.now
    let (state, phaseStart) = state.withLock { ($0, $0.phaseStart ?? start) }
    var progress = state.progress
    progress.elapsed = now - start
    let fraction = progress.fractionCompleted
    let (gained, time) = (fraction - state.phaseFraction, now - phaseStart)
    // before half a second or one percent, the rate is noise
    if gained > 0.01 && fraction < 1 && time > .milliseconds(500) {
      progress.estimatedRemaining = time * ((1 - fraction) / gained)
    }
    return progress
  }
}
