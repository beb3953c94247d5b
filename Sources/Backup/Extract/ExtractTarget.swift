import FileSystem
import PhotoLibrary
import SystemPackage

/// The folder that photos are extracted to. Below it are the folders of the categories, which are opened by name in it
/// and never through a link.
///
/// One extraction at a time writes to a folder: it holds a lock on the folder itself, which leaves nothing behind and
/// clears itself when its owner dies. What a dead run left under hidden names is then nobody's, and goes. Where a
/// folder cannot be locked (NFS), nothing is swept either.
final class ExtractTarget: Sendable {
  let path: FilePath
  /// Everything below is opened from here, by the names of its folder and file: with one folder a category there may be
  /// more than a process can have open.
  let root: Directory
  private let lock: FolderLock?

  /// Opens a folder, and makes it if it is to be written to and is not there; nil if it is not there and nothing is to
  /// be written.
  ///
  /// - Throws: `ExtractError`, or `FileError`.
  static func open(_ path: FilePath, forWriting: Bool) throws -> ExtractTarget? {
    try refuseLibrary(path)
    do {
      return try ExtractTarget(path, Directory.open(path), forWriting: forWriting)
    } catch let error as FileError {
      if error.errno == .notDirectory { throw ExtractError.notAFolder(path) }
      guard error.errno == .noSuchFileOrDirectory else { throw error }
    }
    let folder = path.folder
    guard let name = path.lastComponent, name.kind == .regular else {
      throw ExtractError.noSuchFolder(path)
    }
    do {
      let directory = try Directory.open(folder)
      guard forWriting else { return nil }
      try directory.makeDirectory(FilePath(name.string))
      try directory.sync()
      return try ExtractTarget(path, directory.directory(FilePath(name.string)), forWriting: true)
    } catch let error as FileError where error.isAbsence {
      throw ExtractError.noSuchFolder(folder)
    }
  }

  private init(_ path: FilePath, _ root: consuming Directory, forWriting: Bool) throws {
    self.path = path
    self.root = root
    do {
      lock = try forWriting ? FolderLock(path, exclusive: true) : nil
    } catch is FileLock.Busy {
      throw ExtractError.busy(path)
    }
    if lock?.isHeld == true { sweep() }
  }

  /// The library's files are the library's: a stranger among them would be reported for ever.
  private static func refuseLibrary(_ path: FilePath) throws {
    // a folder that is not there yet is in whatever its parent leads to
    let folder = path.realPath == nil ? path.folder : path
    if Library.holding(folder) != nil { throw ExtractError.insideLibrary(path) }
  }

  /// Removes the hidden files of dead runs.
  private func sweep() {
    for name in (try? root.names()) ?? [] {
      guard (try? root.status(of: name))?.kind == .directory, let folder = try? root.directory(name) else {
        continue
      }
      for file in (try? folder.names()) ?? [] where PartialName.lockedFolder.matches(file) {
        _ = try? folder.remove(file)
      }
    }
  }

  /// The bytes that can still be written.
  func freeBytes() throws -> Int { try root.fileSystem().freeBytes }

  /// Whether a category's folder is there.
  ///
  /// - Throws: `ExtractError.notAFolder` for a file, or a link.
  func hasFolder(_ name: FilePath) throws -> Bool {
    guard let status = try root.status(of: name) else { return false }
    guard status.kind == .directory else { throw ExtractError.notAFolder(root.path(of: name)) }
    return true
  }

  /// Makes a category's folder, if it is not there.
  func makeFolder(_ name: FilePath) throws {
    if try !hasFolder(name) { try root.makeDirectory(name) }
  }

  /// Makes everything durable that was written to the file system; false where that has to be asked of each file.
  func syncFileSystem() throws -> Bool { try root.syncFileSystem() }

  /// Makes the names of the folders durable.
  func sync() throws { try root.sync() }
}
