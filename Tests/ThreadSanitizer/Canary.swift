// Checks that ThreadSanitizer reports races and nothing else; scripts/sanitize runs it before the tests. `canary
// mutex` increments a counter under a contended mutex, `canary atomic` passes a value to another thread with an
// atomic flag, and `canary race` increments a counter without synchronization.

import Foundation
import Synchronization

/// A counter without synchronization.
final class Shared: @unchecked Sendable {
  // unchecked, because `canary race` needs a data race
  var count = 0
}

/// Runs the body 2,000 times in each thread, and waits for all threads.
func run(threads: Int, _ body: @escaping @Sendable () -> Void) {
  let left = Mutex(threads)
  let ended = DispatchSemaphore(value: 0)
  for _ in 0..<threads {
    Thread {
      for _ in 0..<2_000 { body() }
      left.withLock { left in
        left -= 1
        if left == 0 { ended.signal() }
      }
    }.start()
  }
  ended.wait()
}

let shared = Shared()
switch CommandLine.arguments.last {
case "mutex":
  let mutex = Mutex(shared)
  run(threads: 8) { mutex.withLock { for _ in 0..<50 { $0.count += 1 } } }
  print(mutex.withLock { $0.count })
case "atomic":
  let isSet = Atomic(false)
  let thread = Thread {
    shared.count = 1
    isSet.store(true, ordering: .releasing)
  }
  thread.start()
  while !isSet.load(ordering: .acquiring) {}
  print(shared.count)
default:
  run(threads: 8) { shared.count += 1 }
  print(shared.count)
}
