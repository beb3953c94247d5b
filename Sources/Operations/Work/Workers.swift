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

  /// Calls two functions at the same time, the second one on a thread of its own, and waits for both. Calls them one after
  /// the other if the system cannot start a thread. Throws the error of the first one if both throw.
  ///
  /// - Parameter second: calls its argument often, which throws `CancellationError` if the first function has thrown.
  package static func both<First, Second: Sendable>(
    _ first: () throws -> First,
    _ second: @escaping @Sendable (_ check: @escaping @Sendable () throws -> Void) throws -> Second
  ) throws -> (First, Second) {
    let state = Mutex<(isUnneeded: Bool, result: Result<Second, any Error>?)>((false, nil))
    let work: @Sendable () -> Result<Second, any Error> = {
      Result { try second { if state.withLock({ $0.isUnneeded }) { throw CancellationError() } } }
    }
    var threads = WorkerThreads()
    try? threads.start(stackSize: 1 << 20) {
      let result = work()
      state.withLock { $0.result = result }
    }
    let value = Result { try first() }
    if case .failure = value { state.withLock { $0.isUnneeded = true } }
    threads.join()
    return (try value.get(), try (state.withLock { $0.result } ?? work()).get())
  }

  /// Calls `body` for every index as above, without a context.
  package static func forEach(
    _ indices: Range<Int>, threads count: Int = defaultCount,
    _ body: @escaping @Sendable (Int) throws -> Void
  ) throws {
    try forEach(indices, threads: count, context: {}) { index, _ in try body(index) }
  }
}
