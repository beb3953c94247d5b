import FileSystem
import Foundation
import Operations
import Processes

/// Asks the processes that have locks of a library to stop, and waits until they have released the locks.
struct ProcessStop {
  let locks: LibraryLocks
  let counter: ProgressCounter
  /// How long to wait for all processes.
  private static let limit = Duration.seconds(60)

  /// Sends SIGTERM to each process of this program that this user runs and that has one of the locks. Does not stop a
  /// process that waits for this one. Blocks.
  ///
  /// - Returns: the stopped processes.
  /// - Throws: `ResetRefusal.notStopped` after the limit; the error of a lock whose owner may not be stopped;
  ///   `CancellationError`.
  func run() throws -> [String] {
    var stopped: [String] = []
    let deadline = ContinuousClock.now + Self.limit
    while true {
      do {
        try locks.check()
        return stopped
      } catch {
        guard let busy = Self.busy(error), !busy.isOwnerAncestor else { throw error }
        if !stopped.contains(busy.owner) {
          // a program that writes no note may have the lock after a process that did
          guard let process = busy.process, process != getpid(), RunningProcess.isOfThisProgram(process),
            kill(process, SIGTERM) == 0
          else { throw error }
          stopped.append(busy.owner)
        }
        guard ContinuousClock.now < deadline else {
          throw ResetRefusal.notStopped(locks.library, process: busy.owner, after: Self.limit)
        }
      }
      try counter.reportWaitingForLock()
      usleep(100_000)
    }
  }

  /// Returns true if an error means that a process has a lock.
  static func isBusy(_ error: any Error) -> Bool { busy(error) != nil }

  private static func busy(_ error: any Error) -> FileLock.Busy? {
    if case JobError.running(_, _, let busy) = error { busy } else { error as? FileLock.Busy }
  }
}
