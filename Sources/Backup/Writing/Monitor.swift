import Glibc

/// A state that two threads share, protected by a mutex, with a condition on which one of them waits for the other.
///
/// `@unchecked Sendable` because the compiler cannot see that every access to the state holds the mutex: the state
/// is private, and only `withLock` and `wait` access it. Uses pthread's mutex and condition because the standard
/// library has a mutex but no condition.
final class Monitor<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  init(_ state: State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the state, and wakes the thread that waits.
  func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    pthread_cond_signal(condition)
    return body(&state)
  }

  /// Runs `body` with exclusive access to the state, and again after every wake-up, until it returns a value. Repeating
  /// the changes that `body` makes must be harmless.
  func wait<Result>(_ body: (inout State) throws -> Result?) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = try body(&state) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }
}
