import Synchronization

/// The counters that working threads bump; a ticker reads them. Nothing here waits, so a slow reader of the
/// progress never slows the work.
public final class ProgressCounter: Sendable {
  private struct State {
    var progress = Progress(phase: .planning)
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let start = ContinuousClock.now

  /// Starts the clock.
  public init() {}

  /// True once the work was asked to stop. Working threads look at it at least once a buffer.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Asks the work to stop.
  public func cancel() { state.withLock { $0.isCancelled = true } }

  /// Throws `CancellationError` once the work was asked to stop.
  public func checkCancellation() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Sets the totals, once the plan is known. What was counted so far stays.
  public func setTotals(items: Int, bytes: Int) {
    state.withLock {
      $0.progress.totalItems = items
      $0.progress.totalBytes = bytes
    }
  }

  /// Begins to count again, for work that has to be done once more.
  public func restart() {
    state.withLock {
      $0.progress.processedItems = 0
      $0.progress.bytesProcessed = 0
    }
  }

  /// Says what the work is doing now.
  public func enter(_ phase: Progress.Phase) {
    state.withLock {
      $0.progress.phase = phase
      $0.progress.currentItem = nil
    }
  }

  /// Counts work as done.
  public func advance(items: Int = 0, bytes: Int = 0, current: String? = nil) {
    state.withLock {
      $0.progress.processedItems += items
      $0.progress.bytesProcessed += bytes
      if let current { $0.progress.currentItem = current }
    }
  }

  /// A snapshot, with the times filled in.
  public var current: Progress {
    var progress = state.withLock { $0.progress }
    progress.elapsed = ContinuousClock.now - start
    let fraction = progress.fractionCompleted
    // before half a second or one percent, the rate is noise
    if fraction > 0.01 && fraction < 1 && progress.elapsed > .milliseconds(500) {
      progress.estimatedRemaining = progress.elapsed * ((1 - fraction) / fraction)
    }
    return progress
  }
}
