/// Limits how many tests run at the same time. Swift Testing starts all cases of a parameterized test at once, and each may
/// hold open files.
package actor ConcurrencyLimit {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameter width: how many may run, from 1.
  package init(_ width: Int) { free = width }

  /// Waits until fewer than the limit run, and then runs `body`.
  package func run<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async rethrows -> Value {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
    return try await body()
  }
}
