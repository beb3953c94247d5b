import Glibc
import SystemPackage

/// A way to give a file another name and never replace a file by it, the best first. Not every file system has
/// each.
enum RenameStrategy: CaseIterable {
  /// In one step: `RENAME_NOREPLACE` of renameat2(2).
  case noReplace
  /// The new name is linked, then the old one removed. For file systems such as NFS.
  case link
  /// The new name is taken by an empty file, which is then renamed over. For file systems without links, such
  /// as FAT.
  case reservation

  /// - Returns: false, and nothing was done, where the file system does not have this way.
  /// - Throws: EEXIST where the new name is taken. Nothing was done.
  func rename(_ from: CInt, _ old: FilePath, _ to: CInt, _ new: FilePath) throws(Errno) -> Bool {
    switch self {
    case .noReplace:
      do throws(Errno) {
        try SystemCalls.renameNoReplace(from, old, to, new)
      } catch .invalidArgument, .noFunction {
        return false
      }
    case .link:
      do throws(Errno) {
        try Self.link(from, old, to, new)
      } catch .notPermitted, .notSupportedOnSocket, .noFunction {
        return false
      }
    case .reservation:
      try Self.reserve(from, old, to, new)
    }
    return true
  }

  /// Over NFS an answer can be lost and the call sent again: EEXIST is then the trace of our own success, which
  /// the inodes tell, and so is ENOENT for the old name.
  private static func link(_ from: CInt, _ old: FilePath, _ to: CInt, _ new: FilePath) throws(Errno) {
    do throws(Errno) {
      try SystemCalls.linkat(from, old, to, new)
    } catch {
      guard error == .fileExists, try identity(from, old) == identity(to, new) else { throw error }
    }
    do throws(Errno) {
      try SystemCalls.unlinkat(from, old, isDirectory: false)
    } catch .noSuchFileOrDirectory {
      return
    } catch {
      // where not even the new name can be taken away again, the file is where it was to be, and its old name is
      // swept with whatever else is left behind
      do throws(Errno) { try SystemCalls.unlinkat(to, new, isDirectory: false) } catch { return }
      throw error
    }
  }

  private static func reserve(_ from: CInt, _ old: FilePath, _ to: CInt, _ new: FilePath) throws(Errno) {
    let reserved = try SystemCalls.openat(to, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    defer { close(reserved) }
    do throws(Errno) {
      try SystemCalls.renameat(from, old, to, new)
    } catch {
      // the reservation goes, unless the name has come to stand for something else
      if let own = try? SystemCalls.fstat(reserved), let found = try? identity(to, new),
        FileStatus(own).identity == found
      {
        try? SystemCalls.unlinkat(to, new, isDirectory: false)
      }
      throw error
    }
  }

  private static func identity(_ folder: CInt, _ name: FilePath) throws(Errno) -> FileStatus.Identity {
    FileStatus(try SystemCalls.fstatat(folder, name, followLinks: false)).identity
  }
}
