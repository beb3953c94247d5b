import FileSystem
import PhotoLibrary
import SystemPackage

/// The folder that photos are extracted to, or that gets a gallery. The target opens the folders in it by name and
/// never follows a link.
///
/// Only one run at a time writes to a folder: it has a `FolderLock`, which ends when the process dies. Hidden
/// files in a locked folder belong to dead runs, so that the next run removes them. If a folder cannot be locked (NFS),
/// it keeps such files.
final class ExtractTarget: Sendable {
  let path: FilePath
  /// The folder. All files are opened from here by the names of their folder and file: there may be more category
  /// folders than a process can have open.
  let root: Directory
  private let lock: FolderLock?
  /// True if no other run writes to the folder. False if its file system has no locks.
  var isLocked: Bool { lock?.isHeld == true }

  /// Opens a folder. Creates a missing folder if `forWriting` is true, otherwise returns nil for it.
  ///
  /// - Throws: `ExtractError`, or `FileError`.
  static func open(
    _ path: FilePath, forWriting: Bool, lockWait: Duration = .zero, whileWaiting: () throws -> Void = {}
  ) throws -> ExtractTarget? {
    try refuseLibrary(path)
    func lock() throws -> FolderLock {
      do {
        return try FolderLock(path, exclusive: true, waiting: lockWait, whileWaiting: whileWaiting)
      } catch is FileLock.Busy {
        throw ExtractError.busy(path)
      }
    }
    do {
      return try ExtractTarget(path, Directory.open(path), forWriting ? lock() : nil)
    } catch let error as FileError {
      if error.errno == .notDirectory { throw ExtractError.notAFolder(path) }
      guard error.errno == .noSuchFileOrDirectory else { throw error }
    }
    let folder = path.folder
    guard let name = path.fileName else { throw ExtractError.noSuchFolder(path) }
    do {
      let directory = try Directory.open(folder)
      guard forWriting else { return nil }
      try directory.makeDirectory(name)
      try directory.sync()
      return try ExtractTarget(path, directory.directory(name), lock())
    } catch let error as FileError where error.errno == .noSuchFileOrDirectory {
      throw ExtractError.noSuchFolder(folder)
    } catch let error as FileError where error.errno == .notDirectory {
      throw ExtractError.notAFolder(path)
    }
  }

  private init(_ path: FilePath, _ root: consuming Directory, _ lock: FolderLock?) {
    (self.path, self.lock) = (path, lock)
    self.root = root
  }

  /// Refuses a folder in a library, which would report an untracked file there in every check.
  private static func refuseLibrary(_ path: FilePath) throws {
    // a folder that does not exist yet is created in the resolved folder of its parent
    let folder = path.realPath == nil ? path.folder : path
    if Library.enclosing(folder) != nil { throw ExtractError.insideLibrary(path) }
  }

  /// Removes the hidden files of dead runs, if no other run writes to the folder.
  func sweep() {
    guard isLocked else { return }
    for name in (try? root.names()) ?? [] {
      guard (try? root.status(of: name))?.kind == .directory, let folder = try? root.directory(name) else {
        continue
      }
      for file in (try? folder.names()) ?? [] where PartialName.lockedFolder.matches(file) {
        _ = try? folder.remove(file)
      }
    }
  }

  /// Returns true if a category's folder exists.
  ///
  /// - Throws: `ExtractError.notAFolder` for a file or a link.
  func hasFolder(_ name: FilePath) throws -> Bool {
    guard let status = try root.status(of: name) else { return false }
    guard status.kind == .directory else { throw ExtractError.notAFolder(root.path(of: name)) }
    return true
  }

  /// Creates a category's folder if it does not exist.
  func makeFolder(_ name: FilePath) throws {
    if try !hasFolder(name) { try root.makeDirectory(name) }
  }
}
