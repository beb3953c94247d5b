import Synchronization

/// Passes on the results of concurrent work in the order of its indices, each as soon as all earlier ones are known.
package final class OrderedResults<Result: Sendable>: Sendable {
  private struct State {
    /// The first index without a result.
    var next: Int
    var waiting: [Int: Result] = [:]
  }

  private let state: Mutex<State>
  private let handle: @Sendable (Int, Result) -> Void

  /// Waits for the result of the index `first`.
  ///
  /// - Parameter handle: called once for each index, never by two threads at a time. Must not call `add`.
  package init(from first: Int = 0, _ handle: @escaping @Sendable (Int, Result) -> Void) {
    state = Mutex(State(next: first))
    self.handle = handle
  }

  /// Adds the result of an index. Each index must get one result.
  package func add(_ result: Result, at index: Int) {
    state.withLock { state in
      state.waiting[index] = result
      while let result = state.waiting.removeValue(forKey: state.next) {
        handle(state.next, result)
        state.next += 1
      }
    }
  }
}
