import Jobs
import Operations

extension Reporter {
  /// Works on jobs or folders, one after the other. A failure does not stop the series. After a signal, each remaining item
  /// fails with `NotStarted`.
  ///
  /// - Parameters:
  ///   - work: works on an item, and returns its status.
  ///   - failed: reports the error of an item.
  /// - Returns: the worst status.
  /// - Throws: the errors of `failed`.
  func each<Item>(
    _ items: [Item], _ work: (Item) async throws -> ExitStatus, failed: (Item, any Error) throws -> Void
  ) async throws -> ExitStatus {
    var worst = ExitStatus.done
    for item in items {
      do {
        if Signals.received != nil { throw NotStarted() }
        worst = max(worst, try await work(item))
      } catch {
        try failed(item, error)
        worst = max(worst, ExitStatus(for: error))
      }
    }
    return worst
  }
}

/// A signal stopped the command before it began with a job or folder.
struct NotStarted: ExplainedError, CustomStringConvertible {
  let description = JobReport.notBegun
  var cause: ErrorCause { .cancelled }
}
