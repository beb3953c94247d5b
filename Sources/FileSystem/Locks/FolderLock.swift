import Glibc
import SystemPackage

/// An advisory lock on a folder for the processes of one user: a lock on the file `.smilepile-UID.lock` in it, mode 0600.
/// Other users cannot open the file, so they cannot keep this user from the folder. The kernel releases the lock when its
/// owner dies. The last owner removes the file; a killed one leaves it, and the next owner or the next run of a job removes
/// it.
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

  /// Returns true if the lock file of a user has this name.
  package static func isName(_ name: FilePath) -> Bool {
    name.string.hasPrefix(".smilepile-") && name.string.hasSuffix(".lock")
  }

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

  /// Removes the lock file that a killed process left in a folder. Changes nothing while a process has the lock. A failure
  /// is ignored: the next owner removes the file.
  package static func removeLeftover(in path: FilePath) {
    guard let folder = try? Directory.open(path), (try? folder.status(of: name)) != nil else { return }
    _ = try? FolderLock(path, exclusive: true)
  }

  /// Why a folder gets no new file: the disk or the quota is full, or the user has no permission.
  private static let cannotCreate: [Errno] = [.noSpace, .diskQuotaExceeded, .permissionDenied, .notPermitted]

  private struct Attempt: ~Copyable {
    let file: File?
    let isHeld: Bool
  }

  private static func take(in folder: borrowing Directory, exclusive: Bool) throws -> Attempt {
    while true {
      let file: File
      do throws(FileError) {
        file = try folder.open(name, .readWrite)
      } catch  where error.errno == .readOnlyFileSystem {
        // no process can change the folder, even if a lock file remains there
        return Attempt(file: nil, isHeld: false)
      } catch {
        if let other = try folder.status(of: name) {
          try Ownership.requireLock(other, at: folder.path(of: name))
          throw error
        }
        // no process has the lock, since its file does not exist, and this process cannot create the file
        guard Self.cannotCreate.contains(error.errno) else { throw error }
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
