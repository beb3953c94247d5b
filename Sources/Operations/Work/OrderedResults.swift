import Synchronization

/// Collects what concurrent work finds about numbered items, in the order of the items. Passes on each value as soon as
/// all earlier items are done.
package final class OrderedResults<Value: Sendable>: Sendable {
  private struct State {
    /// The first item that is not done.
    var next = 0
    /// Which items are done.
    var isDone: [Bool] = []
    /// The values of items after the first one that is not done.
    var waiting: [Int: Value] = [:]
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
      let missing = index + 1 - state.isDone.count
      if missing > 0 { state.isDone.append(contentsOf: repeatElement(false, count: missing)) }
      state.isDone[index] = true
      if let value { state.waiting[index] = value }
      while state.next < state.isDone.count, state.isDone[state.next] {
        // most items have no value: to search for one would take longer than all else here
        if !state.waiting.isEmpty, let value = state.waiting.removeValue(forKey: state.next) {
          state.values.append(value)
          whenFound(value)
        }
        state.next += 1
      }
    }
  }

  /// The values of the items before the first one that is not done.
  package var values: [Value] { state.withLock { $0.values } }
}
