import Glibc
import SystemPackage

/// An advisory lock on a folder itself, which leaves no file behind and clears itself when its owner dies. Where a folder
/// cannot be locked, as on some network file systems, there is none, and everybody has it. flock(2).
package final class FolderLock: Sendable {
  private let file: File
  /// False where the folder cannot be locked, so that others may have it too.
  package let isHeld: Bool

  /// Takes it, trying again until `wait` has passed. `whileWaiting` is called ten times a second, and may throw to give
  /// up.
  ///
  /// - Throws: `FileLock.Busy`, `FileError` if the folder cannot be opened, or what `whileWaiting` throws.
  package init(
    _ folder: FilePath, exclusive: Bool, waiting wait: Duration = .zero, whileWaiting: () throws -> Void = {}
  ) throws {
    file = try File.open(folder, .readFollowingLinks)
    let deadline = ContinuousClock.now + wait
    var isLocked = try? file.lock(exclusive: exclusive)
    while isLocked == false {
      if ContinuousClock.now >= deadline { throw FileLock.Busy(path: folder.appending("."), owner: "") }
      try whileWaiting()
      usleep(100_000)
      isLocked = try? file.lock(exclusive: exclusive)
    }
    isHeld = isLocked == true
  }

  deinit { file.unlock() }
}
