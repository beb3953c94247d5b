import Foundation
import Operations
import Synchronization
import Testing

struct WorkersTests {
  private struct Failure: Error, Equatable {
    var index: Int
  }

  @Test("Workers: every index is processed once", arguments: [1, 2, 7, 64])
  func indices(threads: Int) throws {
    let seen = Mutex<[Int]>([])
    try Workers.forEach(10..<210, threads: threads) { index in seen.withLock { $0.append(index) } }
    #expect(seen.withLock { $0.sorted() } == Array(10..<210))
  }

  @Test("Workers: one thread processes the indices in order")
  func order() throws {
    let seen = Mutex<[Int]>([])
    try Workers.forEach(0..<100, threads: 1) { index in seen.withLock { $0.append(index) } }
    #expect(seen.withLock { $0 } == Array(0..<100))
  }

  @Test("Workers: what the work retains is released before the call returns")
  func release() throws {
    final class Resource: Sendable {}
    for _ in 0..<300 {
      weak var weakly: Resource?
      do {
        let resource = Resource()
        weakly = resource
        try Workers.forEach(0..<8, threads: 8) { _ in _ = resource }
      }
      #expect(weakly == nil)
    }
  }

  @Test("Workers: a thread that cannot be started is an error")
  func threadError() {
    #expect(throws: ThreadError.self) {
      var threads = WorkerThreads()
      try threads.start(stackSize: 1 << 48) {}
      threads.join()
    }
  }

  @Test("Workers: no indices make no context")
  func noIndices() throws {
    let contexts = Mutex(0)
    try Workers.forEach(5..<5, context: { contexts.withLock { $0 += 1 } }) { _, _ in
      Issue.record("there is no index")
    }
    #expect(contexts.withLock { $0 } == 0)
  }

  @Test("Workers: there is at least one thread", arguments: [0, -1, Int.min])
  func atLeastOneThread(threads: Int) throws {
    let count = Mutex(0)
    try Workers.forEach(0..<3, threads: threads) { _ in count.withLock { $0 += 1 } }
    #expect(count.withLock { $0 } == 3)
  }

  @Test("Workers: the first error is thrown and ends the work", arguments: [1, 4])
  func firstError(threads: Int) {
    let started = Mutex<[Int]>([])
    let error = #expect(throws: Failure.self) {
      try Workers.forEach(0..<1_000_000, threads: threads) { index in
        started.withLock { $0.append(index) }
        if index == 3 { throw Failure(index: index) }
        // the other threads wait until the error was thrown, or they would finish the work before
        if threads > 1, index > 3 { try Self.spin(until: { started.withLock { $0.contains(3) } }) }
      }
    }
    #expect(error == Failure(index: 3))
    #expect(started.withLock { $0.count } < 1_000_000)
    if threads == 1 { #expect(started.withLock { $0 } == [0, 1, 2, 3]) }
  }

  private static func spin(until condition: () -> Bool) throws {
    while !condition() { sched_yield() }
  }

  @Test("Workers: of simultaneous errors, one is thrown")
  func simultaneousErrors() {
    let barrier = Mutex(0)
    let error = #expect(throws: Failure.self) {
      try Workers.forEach(0..<4, threads: 4) { index in
        barrier.withLock { $0 += 1 }
        try Self.spin(until: { barrier.withLock { $0 == 4 } })
        throw Failure(index: index)
      }
    }
    #expect((0..<4).contains(error?.index ?? -1))
  }

  /// The context of a thread. Counts its uses.
  private struct Handle: ~Copyable {
    let log: Log
    var uses = 0

    init(_ log: Log) {
      self.log = log
      log.opened.withLock { $0 += 1 }
    }

    deinit {
      log.closed.withLock { $0 += 1 }
      log.uses.withLock { [uses] in $0 += uses }
    }
  }

  private final class Log: Sendable {
    let opened = Mutex(0)
    let closed = Mutex(0)
    let uses = Mutex(0)
  }

  @Test("Workers: every thread has its own context", arguments: [1, 3, 8])
  func contexts(threads: Int) throws {
    let log = Log()
    try Workers.forEach(0..<500, threads: threads, context: { Handle(log) }) { _, handle in handle.uses += 1 }
    #expect(log.opened.withLock { $0 } == threads)
    // released before the call returns: a context that has a file open must not outlive the work
    #expect(log.closed.withLock { $0 } == threads)
    #expect(log.uses.withLock { $0 } == 500)
  }

  @Test("Workers: there are no more threads than indices")
  func fewIndices() throws {
    let log = Log()
    try Workers.forEach(0..<2, threads: 16, context: { Handle(log) }) { _, handle in handle.uses += 1 }
    #expect(log.opened.withLock { $0 } == 2)
  }

  @Test("Workers: an error of the context is thrown")
  func contextError() {
    let worked = Mutex(0)
    #expect(throws: Failure(index: -1)) {
      try Workers.forEach(0..<10, threads: 3, context: { throw Failure(index: -1) }) { (_, _: inout Int) in
        worked.withLock { $0 += 1 }
      }
    }
    #expect(worked.withLock { $0 } == 0)
  }

  @Test("Workers: the default count is at least one")
  func defaultCount() { #expect(Workers.defaultCount >= 1) }
}
