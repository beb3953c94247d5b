import Glibc

/// A state that threads share, protected by a mutex, with conditions to wait for.
///
/// `@unchecked Sendable` because the compiler cannot see that every access to the state holds the mutex: the state
/// is private, and only `withLock` and `wait` access it. Uses pthread's mutex and condition because the standard
/// library has a mutex but no condition.
final class Monitor<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let conditions: UnsafeMutablePointer<pthread_cond_t>
  private let count: Int
  private var state: State

  /// Wakes waiting threads. Valid only inside `withLock` and `wait`.
  struct Signal {
    fileprivate let conditions: UnsafeMutablePointer<pthread_cond_t>
    fileprivate let count: Int

    /// Wakes one thread that waits for a condition.
    func wake(_ condition: Int) { pthread_cond_signal(conditions + condition) }

    /// Wakes every thread.
    func wakeAll() {
      for index in 0..<count {
        pthread_cond_broadcast(conditions + index)
      }
    }
  }

  init(_ state: State, conditions count: Int) {
    self.state = state
    self.count = count
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    conditions = .allocate(capacity: count)
    for index in 0..<count { pthread_cond_init(conditions + index, nil) }
  }

  deinit {
    for index in 0..<count { pthread_cond_destroy(conditions + index) }
    conditions.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the state.
  func withLock<Result, Failure>(
    _ body: (inout State, Signal) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state, Signal(conditions: conditions, count: count))
  }

  /// Runs `body` with exclusive access to the state, and again after every wake-up of `condition`, until it returns
  /// a value. Repeating the changes that `body` makes must be harmless.
  func wait<Result>(
    on condition: Int, _ body: (inout State, Signal) throws -> Result?
  ) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = try body(&state, Signal(conditions: conditions, count: count)) { return result }
      pthread_cond_wait(conditions + condition, mutex)
    }
  }
}
