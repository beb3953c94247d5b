import Foundation
import Synchronization
import Testing

/// A trait of tests that wait for other programs.
///
/// These tests run on separate threads: one for each core, but at most four. A test that waited on one of Swift's own
/// threads, of which there is one for each core, would block other tests.
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

/// Threads on which tests may wait.
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
