import Glibc
import SystemPackage

/// An advisory lock on a folder for the processes of one user: a lock on the file `.smilepile-UID.lock` in it, mode 0600.
/// Other users cannot open the file, so they cannot keep this user from the folder. The kernel releases the lock when its
/// owner dies. The last owner removes the file; a killed one leaves it, and the next owner uses it.
///
/// Every process gets the lock if the folder cannot be written or its file system has no locks, as some network file
/// systems. flock(2).
package final class FolderLock: Sendable {
  private let folder: Directory
  private let file: File?
  private let isExclusive: Bool
  /// False if other processes may have the lock, too.
  package let isHeld: Bool

  private static let name = FilePath(".smilepile-\(geteuid()).lock")

  /// Takes the lock, trying again until `wait` has passed. `whileWaiting` is called ten times a second, and may throw
  /// to give up. Creates the lock file.
  ///
  /// - Throws: `FileLock.Busy`, `OwnershipError` if another file has the name of the lock file, `FileError` if the folder
  ///   cannot be opened, or the errors of `whileWaiting`.
  package init(
    _ path: FilePath, exclusive: Bool, waiting wait: Duration = .zero, whileWaiting: () throws -> Void = {}
  ) throws {
    let folder = try Directory.open(path)
    let locked = try LockWait.take(within: wait, whileWaiting: whileWaiting) {
      try Self.take(in: folder, exclusive: exclusive)
    }
    (isHeld, isExclusive) = (locked.isHeld, exclusive)
    file = locked.file
    self.folder = folder
  }

  deinit {
    // the remaining owners of a shared lock keep the file
    let isLast = isExclusive || (try? file?.lock(exclusive: true)) ?? false
    if isHeld, isLast { _ = try? folder.remove(Self.name) }
    file?.unlock()
  }

  private struct Attempt: ~Copyable {
    let file: File?
    let isHeld: Bool
  }

  private static func take(in folder: borrowing Directory, exclusive: Bool) throws -> Attempt {
    while true {
      let file: File
      do {
        file = try folder.open(name, .readWrite)
      } catch {
        // a file that cannot be created does not exist, so that nobody has the lock
        if let other = try folder.status(of: name) {
          try Ownership.requireLock(other, at: folder.path(of: name))
          throw error
        }
        return Attempt(file: nil, isHeld: false)
      }
      let status = try file.status()
      try Ownership.requireLock(status, at: file.path)
      guard let isLocked = try? file.lock(exclusive: exclusive) else {
        _ = try? folder.remove(name)
        return Attempt(file: nil, isHeld: false)
      }
      guard isLocked else { throw FileLock.Busy(path: folder.path(of: name), owner: "") }
      // the last owner may have removed the file meanwhile
      if try folder.status(of: name)?.identity == status.identity { return Attempt(file: file, isHeld: true) }
    }
  }
}
