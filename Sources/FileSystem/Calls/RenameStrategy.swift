import Glibc
import SystemPackage

/// The ways to rename a file without replacing another one, the best first. A file system may not support all of them.
package enum RenameStrategy: CaseIterable {
  /// Renames in one step: `RENAME_NOREPLACE` of renameat2(2).
  case noReplace
  /// Links the new name, then removes the old one. For file systems such as NFS.
  case link
  /// Creates an empty file under the new name, then renames over it. For file systems without links, such as FAT.
  case reservation

  /// The ways in one step: after a crash the new name is missing or refers to the complete file.
  package static let atomic: [RenameStrategy] = [.noReplace, .link]

  /// Renames a file.
  ///
  /// - Returns: false if the file system does not support this way. Then nothing has changed.
  /// - Throws: EEXIST if the new name is taken. Then nothing has changed.
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

  /// NFS may lose a reply and repeat the call. Then EEXIST means that the first call succeeded if the inodes are equal,
  /// and so does ENOENT for the old name.
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
      // if the new name cannot be removed either, the file is published, and the next run removes the old name
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
      // removes the reservation, unless the name refers to another file by now
      if let own = try? SystemCalls.fstat(reserved), let found = try? identity(to, new),
        FileStatus(own).identity == found
      {
        try? SystemCalls.unlinkat(to, new, isDirectory: false)
      }
      throw error
    }
  }

  private static func identity(_ folder: CInt, _ name: FilePath) throws(Errno) -> FileStatus.Identity {
    FileStatus(try SystemCalls.fstatat(folder, name)).identity
  }
}
