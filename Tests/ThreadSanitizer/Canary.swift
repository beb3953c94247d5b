// What ThreadSanitizer has to say something about, and what not; scripts/sanitize holds it against both before it
// trusts its silence about the tests. `canary mutex` counts under a mutex that many threads want at once, `canary
// atomic` hands a value over with an atomic flag, `canary race` counts with nothing around it.

import Foundation
import Synchronization

/// What threads count in, unguarded.
final class Shared: @unchecked Sendable {
  // unchecked, because the race is what this is for
  var count = 0
}

/// Counts to 2000 and again, so that the threads meet.
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
