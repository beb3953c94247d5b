import Foundation
import Synchronization

/// Runs blocking work on its own threads.
package enum Workers {
  /// The number of threads for work that is limited by the processors.
  package static var defaultCount: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

  /// Calls `body` for every index on up to `count` threads, at least one, and waits for all of them. Assigns the
  /// indices in order. After the first error it assigns no further index, and throws that error.
  ///
  /// Calls `context` once on each thread, and passes its value to every call of `body` there. Such a value is, for
  /// example, a handle or a buffer that threads cannot share.
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

  /// Calls `body` once on each of up to `count` threads, and waits for all of them. The argument of `body` is a
  /// function that returns the next index, and nil if no index is left or another thread has thrown. Throws the first
  /// error. Uses fewer threads if the system cannot start more, and the calling thread if it can start none.
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
    // if no thread could be started, the calling one does the work
    if threads.count == 0, !indices.isEmpty { work() }
    threads.join()
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Does the same for work without a context.
  package static func forEach(
    _ indices: Range<Int>, threads count: Int = defaultCount,
    _ body: @escaping @Sendable (Int) throws -> Void
  ) throws {
    try forEach(indices, threads: count, context: {}) { index, _ in try body(index) }
  }
}
