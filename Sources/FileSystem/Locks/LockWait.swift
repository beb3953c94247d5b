import Glibc

/// Waits for a lock that another process holds.
enum LockWait {
  /// Tries to take a lock until `limit` has passed. Does not wait for an owner that is an ancestor of this process and
  /// may be waiting for the end of this process.
  ///
  /// - Parameters:
  ///   - whileWaiting: called ten times a second while another process holds the lock; may throw to give up.
  ///   - take: takes the lock, or throws `FileLock.Busy`.
  static func take<Lock: ~Copyable>(
    within limit: Duration, whileWaiting: () throws -> Void, _ take: () throws -> Lock
  ) throws -> Lock {
    let deadline = ContinuousClock.now + limit
    while true {
      do {
        return try take()
      } catch let busy as FileLock.Busy {
        if busy.isOwnerAncestor || ContinuousClock.now >= deadline { throw busy }
        try whileWaiting()
        usleep(100_000)
      }
    }
  }
}
