import Foundation
import Synchronization
import Testing

/// A trait of tests that wait for other programs.
///
/// They run on threads of their own, as many at a time as there are cores, but no more than four. Swift's threads are
/// no more than the cores either, and a test that waits in one keeps all others from going on.
package struct WaitingTrait: TestTrait, SuiteTrait, TestScoping {
  /// Tests of a suite inherit it.
  package var isRecursive: Bool { true }

  /// Runs a test on one of the threads.
  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }
}

extension Trait where Self == WaitingTrait {
  /// The test waits for other programs.
  package static var waitsForPrograms: Self { Self() }
}

/// Threads that may wait.
private final class WaitingThreads: TaskExecutor {
  static let shared = WaitingThreads(count: min(4, ProcessInfo.processInfo.activeProcessorCount))

  private let jobs = Mutex<[UnownedJob]>([])
  private let waiting = DispatchSemaphore(value: 0)

  private init(count: Int) {
    for _ in 0..<count { Thread.detachNewThread { self.work() } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    waiting.signal()
  }

  private func work() {
    while true {
      waiting.wait()
      jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
