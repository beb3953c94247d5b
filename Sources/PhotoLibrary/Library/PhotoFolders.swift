import FileSystem
import Synchronization
import SystemPackage

/// Opens photos, and keeps their folders open: another photo of a folder costs one system call, not one for each component
/// of its path. Any thread.
final class PhotoFolders: Sendable {
  private final class Folder: Sendable {
    let directory: Directory
    init(_ directory: consuming Directory) { self.directory = directory }
  }

  private let folders = Mutex<[Substring: Folder]>([:])
  /// Enough for the twelve folders of each of some years.
  private static let most = 64

  /// Opens a photo's file, never through a symbolic link.
  func open(
    _ path: String, _ mode: File.Mode = .read, in root: borrowing Directory
  ) throws(FileError) -> File {
    let (parent, name) = path.folderAndName
    if parent.isEmpty { return try root.open(FilePath(path), mode) }
    do {
      return try folder(parent, in: root).directory.open(FilePath(String(name)), mode)
    } catch {
      guard error.isMissing else { throw error }
      // the folder may have been removed and made again
      return try root.open(FilePath(path), mode)
    }
  }

  /// Returns the status of a photo's file, never through a symbolic link.
  func status(of path: String, in root: borrowing Directory) throws(FileError) -> FileStatus {
    let status = try inFolder(of: path, in: root) { (folder, name) throws(FileError) in
      try folder.status(of: name)
    }
    if let status { return status }
    // the folder may have been removed and made again
    if let status = try root.status(of: FilePath(path)) { return status }
    throw FileError("open", root.path(of: FilePath(path)), .noSuchFileOrDirectory)
  }

  /// Passes the open folder of a file, and the file's name in it.
  func inFolder<Result: ~Copyable>(
    of path: String, in root: borrowing Directory,
    _ body: (borrowing Directory, FilePath) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let (parent, name) = path.folderAndName
    if parent.isEmpty { return try body(root, FilePath(path)) }
    return try body(folder(parent, in: root).directory, FilePath(String(name)))
  }

  private func folder(_ path: Substring, in root: borrowing Directory) throws(FileError) -> Folder {
    if let known = folders.withLock({ $0[path] }) { return known }
    let folder = Folder(try root.directory(FilePath(String(path))))
    folders.withLock { folders in
      if folders.count >= Self.most { folders.removeAll() }
      folders[path] = folder
    }
    return folder
  }
}
