import Foundation
import Synchronization

/// Runs blocking work on threads of its own.
package enum Workers {
  /// How many threads are worth starting for work that keeps a processor busy.
  package static var defaultCount: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

  /// Calls `body` for every index, on up to `count` threads and at least one, and waits for all of them. Indices are handed
  /// out in order. After the first error no further index is handed out, and that error is thrown.
  ///
  /// `context` is called once on each thread and its value handed to every call there: what one thread
  /// needs for itself, as a handle or a buffer.
  package static func forEach<Context: ~Copyable>(
    _ indices: Range<Int>, threads count: Int = defaultCount,
    context: @escaping @Sendable () throws -> Context,
    _ body: @escaping @Sendable (Int, inout Context) throws -> Void
  ) throws {
    try share(indices, threads: count) { next in
      var context = try context()
      while let index = next() { try body(index, &context) }
    }
  }

  /// Calls `body` once on each of up to `count` threads, and waits for all of them. It gets a function that hands out
  /// the indices in order, each to one of the threads, and nil when none is left or another thread has thrown. The
  /// first error is thrown. Fewer threads do it where the system has no more to give, and the calling one where it has
  /// none.
  package static func share(
    _ indices: Range<Int>, threads count: Int = defaultCount,
    _ body: @escaping @Sendable (_ next: () -> Int?) throws -> Void
  ) throws {
    let state = Mutex<(next: Int, failure: (any Error)?)>((indices.lowerBound, nil))
    let work: @Sendable () -> Void = {
      do {
        try body {
          state.withLock { state in
            guard state.failure == nil, state.next < indices.upperBound else { return nil }
            defer { state.next += 1 }
            return state.next
          }
        }
      } catch {
        state.withLock { if $0.failure == nil { $0.failure = error } }
      }
    }
    var threads = WorkerThreads()
    for _ in 0..<min(max(1, count), indices.count) {
      do { try threads.start(stackSize: 1 << 20, work) } catch { break }
    }
    // where there can be no thread, this one does it
    if threads.count == 0, !indices.isEmpty { work() }
    threads.join()
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// The same, for work that needs nothing of its own on each thread.
  package static func forEach(
    _ indices: Range<Int>, threads count: Int = defaultCount,
    _ body: @escaping @Sendable (Int) throws -> Void
  ) throws {
    try forEach(indices, threads: count, context: {}) { index, _ in try body(index) }
  }
}
