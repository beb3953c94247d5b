import Glibc

/// A state that threads share, with a mutex around it and conditions to wait on.
///
/// `@unchecked Sendable` because the compiler cannot see that the mutex is held whenever the state is
/// touched: the state is private and reached through `withLock` and `wait` alone. pthread's own are used
/// because the standard library has a mutex but no condition.
final class Monitor<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let conditions: UnsafeMutablePointer<pthread_cond_t>
  private let count: Int
  private var state: State

  /// Wakes threads that wait. Only of use inside `withLock` and `wait`.
  struct Signal {
    fileprivate let conditions: UnsafeMutablePointer<pthread_cond_t>
    fileprivate let count: Int

    /// Wakes one thread that waits on a condition.
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

  /// Runs `body` with the state to itself.
  func withLock<Result, Failure>(
    _ body: (inout State, Signal) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state, Signal(conditions: conditions, count: count))
  }

  /// Runs `body` with the state to itself, again after every wake-up of `condition`, until it returns
  /// something. Whatever `body` changes must bear being done again.
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
