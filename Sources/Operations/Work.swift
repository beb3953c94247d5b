import Foundation

/// Work under way: its progress as a stream, and its summary when it is done.
///
/// The work runs on a thread of its own, off Swift's cooperative pool, since it blocks. It starts when the
/// value is made. Failures of single photos stand in the summary; `summary` throws only when nothing was
/// published or changed, and `CancellationError` when the work was cancelled, after it has cleaned up.
public struct Work<Summary: Sendable>: Sendable {
  /// At most ten values a second, the newest only, the last one always: a slow reader misses values in
  /// between and holds nothing up. Ending the iteration's task cancels the work. One reader.
  public let progress: AsyncStream<Progress>

  private let counter: ProgressCounter
  private let task: Task<Summary, any Error>

  /// Starts `body` on its own thread. `body` counts what it does and looks at `isCancelled`.
  public init(_ body: @escaping @Sendable (ProgressCounter) throws -> Summary) {
    let counter = ProgressCounter()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Progress.self, bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { reason in
      if case .cancelled = reason { counter.cancel() }
    }
    let ticker = Task {
      while !Task.isCancelled {
        continuation.yield(counter.current)
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    self.counter = counter
    progress = stream
    task = Task {
      let result = await withTaskCancellationHandler {
        await withCheckedContinuation { done in
          do {
            try WorkerThreads.startDetached(stackSize: 4 << 20) {
              done.resume(returning: Result { try body(counter) })
            }
          } catch {
            done.resume(returning: .failure(error))
          }
        }
      } onCancel: {
        counter.cancel()
      }
      ticker.cancel()
      await ticker.value
      if case .success = result { counter.enter(.finished) }
      continuation.yield(counter.current)
      continuation.finish()
      return try result.get()
    }
  }

  /// Where the work stands this moment, for whoever does not follow the stream.
  public var currentProgress: Progress { counter.current }

  /// Waits for the end. Cancelling the waiting task cancels the work.
  ///
  /// - Throws: `CancellationError` after a cancellation; else the error that stopped the work.
  public var summary: Summary {
    get async throws {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        counter.cancel()
      }
    }
  }

  /// Asks the work to stop; `summary` throws `CancellationError` once it has cleaned up.
  public func cancel() { counter.cancel() }
}
