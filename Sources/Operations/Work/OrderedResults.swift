import Synchronization

/// Collects what concurrent work finds about numbered items, in the order of the items. Passes on each value as soon as
/// all earlier items are done.
package final class OrderedResults<Value: Sendable>: Sendable {
  private struct State {
    /// The first item that is not done.
    var next = 0
    /// The results of later items.
    var waiting: [Int: Value?] = [:]
    var values: [Value] = []
  }

  private let state = Mutex(State())
  private let whenFound: @Sendable (Value) -> Void

  /// Waits for the result of item 0.
  ///
  /// - Parameter whenFound: called for each value, in the order of the items and never by two threads at a time. Must not
  ///   call `add`.
  package init(whenFound: @escaping @Sendable (Value) -> Void = { _ in }) { self.whenFound = whenFound }

  /// Adds the result of an item; nil if there is nothing to collect. Each item must get one result.
  package func add(_ value: Value?, at index: Int) {
    state.withLock { state in
      state.waiting.updateValue(value, forKey: index)
      while let result = state.waiting.removeValue(forKey: state.next) {
        state.next += 1
        guard let result else { continue }
        state.values.append(result)
        whenFound(result)
      }
    }
  }

  /// The values of the items before the first one that is not done.
  package var values: [Value] { state.withLock { $0.values } }
}
