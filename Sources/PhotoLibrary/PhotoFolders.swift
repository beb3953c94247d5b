import FileSystem
import Synchronization
import SystemPackage

/// Folders of photos, held open once a photo has been opened in them: opening the next one costs one system call then,
/// not one for each folder on the way. Any thread.
final class PhotoFolders: Sendable {
  private final class Folder: Sendable {
    let directory: Directory
    init(_ directory: consuming Directory) { self.directory = directory }
  }

  private let folders = Mutex<[Substring: Folder]>([:])
  /// Twelve for each of some years.
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
      guard error.isAbsence else { throw error }
      // the folder may have gone when it was empty, and been made again
      return try root.open(FilePath(path), mode)
    }
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
