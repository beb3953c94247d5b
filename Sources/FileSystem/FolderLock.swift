import Glibc
import SystemPackage

/// An advisory lock on a folder itself. Creates no file. The kernel releases the lock when its owner dies. If the file
/// system cannot lock folders, as some network file systems, every process gets the lock. flock(2).
package final class FolderLock: Sendable {
  private let file: File
  /// False if the file system cannot lock folders, so that other processes may have the lock, too.
  package let isHeld: Bool

  /// Takes the lock, trying again until `wait` has passed. `whileWaiting` is called ten times a second, and may throw
  /// to give up.
  ///
  /// - Throws: `FileLock.Busy`, `FileError` if the folder cannot be opened, or the errors of `whileWaiting`.
  package init(
    _ folder: FilePath, exclusive: Bool, waiting wait: Duration = .zero, whileWaiting: () throws -> Void = {}
  ) throws {
    let file = try File.open(folder, .readFollowingLinks)
    isHeld = try LockWait.take(within: wait, whileWaiting: whileWaiting) {
      guard let isLocked = try? file.lock(exclusive: exclusive) else { return false }
      guard isLocked else { throw FileLock.Busy(path: folder.appending("."), owner: "") }
      return true
    }
    self.file = file
  }

  deinit { file.unlock() }
}
