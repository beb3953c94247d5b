import Glibc
import SystemPackage

/// An advisory lock on a folder itself, which leaves no file behind and clears itself when its owner dies. Where a
/// folder cannot be locked, as on some network file systems, every process gets the lock. flock(2).
package final class FolderLock: Sendable {
  private let file: File
  /// False where the folder cannot be locked, so that other processes may have it, too.
  package let isHeld: Bool

  /// Takes it, trying again until `wait` has passed. `whileWaiting` is called ten times a second, and may throw to give
  /// up.
  ///
  /// - Throws: `FileLock.Busy`, `FileError` if the folder cannot be opened, or what `whileWaiting` throws.
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
