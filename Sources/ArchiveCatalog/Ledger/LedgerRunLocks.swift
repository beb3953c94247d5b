import FileSystem
import Synchronization
import SystemPackage

/// Tells which runs are running. A process locks one byte of the file `runs.lock` for each of its runs, at the offset of
/// the run's position. The kernel releases the locks when the process ends, so a killed run is not running.
final class LedgerRunLocks: Sendable {
  /// The name of the file in the state folder.
  private static let name: FilePath = "runs.lock"

  /// Owns the open file, whose locks end with it.
  private struct Owner: ~Copyable {
    var file: File?

    deinit { file?.unlockBytes() }
  }

  private let folder: FilePath
  private let owner = Mutex(Owner())

  /// Makes the locks of a state folder. The first lock creates the file.
  init(folder: FilePath) { self.folder = folder }

  /// Locks the byte of a run until this process ends. Without a lock, for example on a full disk, the run appears to be
  /// interrupted until it ends.
  func lock(_ position: LedgerPosition) {
    owner.withLock { owner in
      if owner.file == nil { owner.file = try? Directory.open(folder).open(Self.name, .readWrite) }
      _ = try? owner.file?.lockByte(at: position.number)
    }
  }

  /// Returns true if a process has locked the byte of a run.
  func isLocked(_ position: LedgerPosition) -> Bool {
    // a file of its own also sees the locks of this process
    guard let file = try? Directory.open(folder).open(Self.name, .read) else { return false }
    return (try? file.isByteLocked(at: position.number)) ?? false
  }
}
