import Foundation

/// A running operation: its progress as a stream, and its summary at the end.
///
/// The operation starts when the value is made. It runs on its own thread and not on Swift's cooperative pool, since it
/// blocks. Failures of single photos are in the summary. `summary` throws if nothing was published or changed, unless
/// the error says otherwise, such as `ImportStopped`. It throws `CancellationError` after a cancelled operation
/// has cleaned up; of several backups, those that are already imported stay.
public struct Work<Summary: Sendable>: Sendable {
  /// At most ten snapshots a second, and always the last one. A slow reader misses snapshots and does not delay the
  /// operation. Cancelling the task that iterates cancels the operation. Supports one reader.
  public let progress: AsyncStream<Progress>

  /// What the operation finds, when it finds it. Ends with the operation. If the summary, or the error of the operation,
  /// is a `FindingReport`, it has the same findings. Keeps all findings until they are read. Supports one reader.
  public let findings: AsyncStream<Finding>

  private let counter: ProgressCounter
  private let task: Task<Summary, any Error>

  /// Starts `body` on its own thread. `body` must count its progress and check `isCancelled`.
  public init(_ body: @escaping @Sendable (ProgressCounter) throws -> Summary) {
    let (findings, found) = AsyncStream.makeStream(of: Finding.self)
    let counter = ProgressCounter { found.yield($0) }
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
    self.findings = findings
    task = Task {
      let result = await withTaskCancellationHandler {
        await withCheckedContinuation { done in
          do {
            try WorkerThreads.startDetached(stackSize: 4 << 20) {
              let result = Result { try ProgressCounter.$running.withValue(counter) { try body(counter) } }
              counter.reportRest(of: result.findings)
              done.resume(returning: result)
            }
          } catch {
            done.resume(returning: .failure(error))
          }
        }
      } onCancel: {
        counter.cancel()
      }
      found.finish()
      ticker.cancel()
      await ticker.value
      if case .success = result { counter.enter(.finished) }
      continuation.yield(counter.current)
      continuation.finish()
      return try result.get()
    }
  }

  /// The current progress, for callers that do not read the stream.
  public var currentProgress: Progress { counter.current }

  /// Waits for the end. Cancelling the waiting task cancels the operation.
  ///
  /// - Throws: `CancellationError` after a cancellation; otherwise the error that stopped the operation.
  public var summary: Summary {
    get async throws {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        counter.cancel()
      }
    }
  }

  /// Requests the operation to stop. `summary` throws `CancellationError` when it has cleaned up.
  public func cancel() { counter.cancel() }
}

extension Result {
  /// The findings of the value or the error.
  fileprivate var findings: [Finding] {
    let report: Any =
      switch self {
      case .success(let value): value
      case .failure(let error): error
      }
    return (report as? any FindingReport)?.findings ?? []
  }
}
