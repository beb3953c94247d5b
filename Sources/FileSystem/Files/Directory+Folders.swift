import SystemPackage

extension Directory {
  /// Removes the files of a folder for whose names `isOwn` returns true, and the folder if it is empty then. Other
  /// files stay.
  package func removeFolder(_ folder: FilePath, of isOwn: (FilePath) -> Bool) throws(FileError) {
    guard try status(of: folder)?.kind == .directory else { return }
    do {
      let inner = try directory(folder)
      for name in try inner.names() where isOwn(name) {
        if try inner.status(of: name)?.kind == .file { try inner.remove(name) }
      }
    }
    do {
      try remove(folder, isDirectory: true)
    } catch {
      // ENOTEMPTY, or EEXIST on some file systems: rmdir(2)
      guard [.directoryNotEmpty, .fileExists].contains(error.errno) else { throw error }
    }
  }

  /// Makes a folder and its missing ancestors, and flushes the parent of each. The parent of an existing folder is
  /// flushed too, since an interrupted run may have made that folder.
  package func makeDirectories(_ path: FilePath, sync: Bool = true) throws(FileError) {
    var made = FilePath()
    for component in path.components {
      let parent = made
      made.append(component)
      try makeDirectory(made)
      guard sync else { continue }
      if parent.isEmpty { try self.sync() } else { try directory(parent).sync() }
    }
  }

  /// Removes the empty folders above a file, except the topmost one.
  package func removeEmptyFolders(above path: FilePath) throws(FileError) {
    var folder = path.removingLastComponent()
    while folder.components.count > 1 {
      do {
        try remove(folder, isDirectory: true)
      } catch {
        // ENOTEMPTY, or EEXIST on some file systems: rmdir(2); ENOTDIR if another program replaced the folder
        guard [.directoryNotEmpty, .fileExists, .notDirectory].contains(error.errno) else { throw error }
        return
      }
      folder = folder.removingLastComponent()
    }
  }
}
