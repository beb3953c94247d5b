import CSystemCalls
import Glibc
import SystemPackage

/// An open folder. Names are resolved in it and not from the root, one component at a time and never
/// through a symbolic link, so that a link planted inside a library leads nowhere. It owns its
/// descriptor, which is closed when the value goes. All functions block.
package struct Directory: ~Copyable, Sendable {
  /// The kernel's number for the open folder.
  let descriptor: CInt
  /// Where it was opened, for messages.
  package let path: FilePath

  private init(descriptor: CInt, path: FilePath) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Opens a folder by a path that a person gave, following symbolic links.
  package static func open(_ path: FilePath) throws(FileError) -> Directory {
    try FileError.attempt("open", path) { () throws(Errno) in
      Directory(descriptor: try SystemCalls.openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY), path: path)
    }
  }

  /// The path of something in this folder, for messages.
  package func path(of name: FilePath) -> FilePath { name.inFolder(path) }

  /// Opens a file. `name` may have several components; each but the last is opened as a folder,
  /// without following links. openat(2).
  package func open(_ name: FilePath, _ mode: File.Mode) throws(FileError) -> File {
    try inParent(of: name) { (parent, last) throws(FileError) in
      try FileError.attempt("open", path(of: name)) { () throws(Errno) in
        File(descriptor: try SystemCalls.openat(parent, last, mode.flags, 0o600), path: name, in: path)
      }
    }
  }

  /// Opens a file of this folder that has no name yet, or says that the file system has no such files.
  /// `O_TMPFILE` of open(2).
  package func openUnnamed() throws(FileError) -> File? {
    do {
      let descriptor = try SystemCalls.openat(descriptor, ".", File.Mode.unnamed.flags, 0o600)
      // a message that names "." names nothing
      return File(descriptor: descriptor, path: path == "." ? path.realPath ?? path : path)
    } catch .notSupportedOnSocket, .isDirectory, .noSuchFileOrDirectory, .invalidArgument {
      // EOPNOTSUPP is what open(2) documents; older file systems and kernels answer the others
      return nil
    } catch {
      throw FileError("write in", path, error)
    }
  }

  /// Opens a folder in this one. openat(2).
  package func directory(_ name: FilePath) throws(FileError) -> Directory {
    try inParent(of: name) { (parent, last) throws(FileError) in
      try FileError.attempt("open", path(of: name)) { () throws(Errno) in
        Directory(
          descriptor: try SystemCalls.openat(parent, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
          path: path(of: name))
      }
    }
  }

  /// Makes a folder with mode 0700; true if it is new, false if it was there. The caller syncs this
  /// folder before anything depends on the new one. mkdirat(2).
  @discardableResult
  package func makeDirectory(_ name: FilePath) throws(FileError) -> Bool {
    try inParent(of: name) { (parent, last) throws(FileError) in
      do throws(Errno) {
        try SystemCalls.mkdirat(parent, last, 0o700)
        return true
      } catch .fileExists {
        return false
      } catch {
        throw FileError("make the folder", path(of: name), error)
      }
    }
  }

  /// Makes a folder and the missing ones above it, with mode 0700, and makes their names durable. Follows symbolic links.
  package static func makeAll(_ path: FilePath) throws(FileError) {
    do {
      _ = try Directory.open(path)
    } catch {
      guard error.isAbsence, let name = path.lastComponent else { throw error }
      try makeAll(path.folder)
      // another process may have made it meanwhile
      let parent = try Directory.open(path.folder)
      try parent.makeDirectory(FilePath(name.string))
      try parent.sync()
    }
  }

  /// What a name stands for, nil if nothing has it. A symbolic link is not followed. fstatat(2).
  package func status(of name: FilePath) throws(FileError) -> FileStatus? {
    do {
      return try inParent(of: name) { (parent, last) throws(FileError) in
        try FileError.attempt("examine", path(of: name)) { () throws(Errno) in
          FileStatus(try SystemCalls.fstatat(parent, last, followLinks: false))
        }
      }
    } catch {
      guard error.isAbsence else { throw error }
      return nil
    }
  }

  /// The names in the folder, sorted, without `.` and `..`. readdir(3).
  package func names() throws(FileError) -> [FilePath] {
    try FileError.attempt("list", path) { () throws(Errno) in
      try SystemCalls.names(descriptor).sorted { $0.string < $1.string }
    }
  }

  /// Renames a file, never over another one: a taken name is EEXIST. On a file system without
  /// `RENAME_NOREPLACE` the file is linked and its old name removed; where there are no links either, the
  /// name is reserved first and then renamed over. renameat2(2).
  package func rename(
    _ name: FilePath, to directory: borrowing Directory, as new: FilePath
  ) throws(FileError) {
    try rename(name, to: directory, as: new, by: RenameWay.allCases)
  }

  /// The same where it takes one step, so that a kill leaves nothing but a whole file under the new name; EOPNOTSUPP on
  /// a file system that has no such way.
  package func renameWhole(
    _ name: FilePath, to directory: borrowing Directory, as new: FilePath
  ) throws(FileError) {
    try rename(name, to: directory, as: new, by: [.noReplace, .link])
  }

  /// The same, by the first of these ways that the file system has.
  func rename(
    _ name: FilePath, to directory: borrowing Directory, as new: FilePath, by ways: [RenameWay]
  ) throws(FileError) {
    let target = directory.path(of: new)
    try inParent(of: name) { (from, old) throws(FileError) in
      try directory.inParent(of: new) { (to, last) throws(FileError) in
        try FileError.attempt("rename \(path(of: name)) to", target) { () throws(Errno) in
          for way in ways where try way.rename(from, old, to, last) { return }
          throw .notSupported
        }
      }
    }
  }

  /// Moves a folder with all that is in it to where nothing is, or an empty folder. renameat(2).
  ///
  /// - Returns: false, and nothing was done, where something is there, or the file system cannot do it in one step.
  package func moveFolder(
    _ name: FilePath, to directory: borrowing Directory, as new: FilePath
  ) throws(FileError) -> Bool {
    let target = directory.path(of: new)
    return try inParent(of: name) { (from, old) throws(FileError) in
      try directory.inParent(of: new) { (to, last) throws(FileError) in
        do throws(Errno) {
          try SystemCalls.renameat(from, old, to, last)
          return true
        } catch .fileExists, .directoryNotEmpty, .notDirectory, .improperLink {
          return false
        } catch {
          throw FileError("rename \(path(of: name)) to", target, error)
        }
      }
    }
  }

  /// Renames over whatever has the new name, in one step. For the few files that belong to this program
  /// alone. renameat(2).
  package func replace(_ new: FilePath, with name: FilePath) throws(FileError) {
    try inParent(of: name) { (from, old) throws(FileError) in
      try inParent(of: new) { (to, last) throws(FileError) in
        try FileError.attempt("rename \(path(of: name)) to", path(of: new)) { () throws(Errno) in
          try SystemCalls.renameat(from, old, to, last)
        }
      }
    }
  }

  /// Gives a file without a name one; a taken name is EEXIST. linkat(2).
  package func link(_ file: borrowing File, as name: FilePath) throws(FileError) {
    let source = file.descriptor
    try inParent(of: name) { (parent, last) throws(FileError) in
      try FileError.attempt("link", path(of: name)) { () throws(Errno) in
        try SystemCalls.linkDescriptor(source, parent, last)
      }
    }
  }

  /// Removes a file; false if there was none. unlinkat(2).
  @discardableResult
  package func remove(_ name: FilePath) throws(FileError) -> Bool {
    try remove(name, isDirectory: false)
  }

  /// Removes an empty folder; false if there was none. unlinkat(2).
  @discardableResult
  package func removeDirectory(_ name: FilePath) throws(FileError) -> Bool {
    try remove(name, isDirectory: true)
  }

  private func remove(_ name: FilePath, isDirectory: Bool) throws(FileError) -> Bool {
    do {
      try inParent(of: name) { (parent, last) throws(FileError) in
        try FileError.attempt("remove", path(of: name)) { () throws(Errno) in
          try SystemCalls.unlinkat(parent, last, isDirectory: isDirectory)
        }
      }
      return true
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return false
    }
  }

  /// Makes the names in the folder durable. Some file systems cannot sync a folder and say EINVAL; that
  /// is no failure. fsync(2).
  package func sync() throws(FileError) {
    do {
      try SystemCalls.fsync(descriptor)
    } catch .invalidArgument {
      return
    } catch {
      throw FileError("flush to disk", path, error)
    }
  }

  /// Makes everything durable that was written to the folder's file system, by whomever, since this value was made:
  /// cheaper than flushing many files one by one. syncfs(2).
  ///
  /// - Returns: false, and nothing is done, where the file system is not known to report what it could not write.
  package func syncFileSystem() throws(FileError) -> Bool {
    guard try fileSystem().reportsErrorsOfSync else { return false }
    try FileError.attempt("flush to disk the file system of", path) { () throws(Errno) in
      try SystemCalls.syncfs(descriptor)
    }
    return true
  }

  /// The file system that holds the folder. fstatfs(2).
  package func fileSystem() throws(FileError) -> FileSystemStatus {
    try FileError.attempt("examine", path) { () throws(Errno) in
      FileSystemStatus(try SystemCalls.fileSystem(descriptor))
    }
  }

  /// Why nothing can be written in the folder: EROFS on a file system that is mounted for reading alone, EACCES
  /// where this process may not; nil if nothing is in the way. faccessat(2).
  package func writeFault() -> Errno? {
    do throws(Errno) {
      try SystemCalls.requireWritable(descriptor)
      return nil
    } catch {
      return error
    }
  }

  /// The folder's own status.
  package func status() throws(FileError) -> FileStatus {
    try FileError.attempt("examine", path) { () throws(Errno) in
      FileStatus(try SystemCalls.fstat(descriptor))
    }
  }

  /// Opens the folders on the way to `name`, one after the other and without following links, and hands
  /// out the last one with the last component.
  private func inParent<Result: ~Copyable>(
    of name: FilePath, _ body: (CInt, FilePath) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    guard var names = name.plainNames, let last = names.popLast() else {
      throw FileError("open", path(of: name), .invalidArgument)
    }
    var parent = descriptor
    defer { if parent != descriptor { close(parent) } }
    for folder in names {
      let next = try FileError.attempt("open", path(of: name)) { () throws(Errno) in
        try SystemCalls.openat(parent, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      }
      if parent != descriptor { close(parent) }
      parent = next
    }
    return try body(parent, last)
  }
}

extension FilePath {
  /// The components, byte for byte; nil if the path is absolute or empty, or if one of them is `.` or `..`. By hand,
  /// since taking a path apart otherwise costs more than the system calls do.
  fileprivate var plainNames: [FilePath]? {
    let isOneName = withPlatformString { name in
      strchr(name, CInt(UInt8(ascii: "/"))) == nil && name[0] != CChar(bitPattern: UInt8(ascii: "."))
        && name[0] != 0
    }
    if isOneName { return [self] }
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    let names = platformBytes.split(separator: slash, omittingEmptySubsequences: false)
    let dot = CChar(bitPattern: UInt8(ascii: "."))
    guard names.allSatisfy({ !$0.isEmpty && $0 != [dot] && $0 != [dot, dot] }) else { return nil }
    return names.count == 1 ? [self] : names.map { FilePath(platformString: $0 + [0]) }
  }

  /// This path in a folder, byte for byte.
  func inFolder(_ folder: FilePath) -> FilePath {
    FilePath(
      platformString: folder.platformBytes + [CChar(bitPattern: UInt8(ascii: "/"))] + platformBytes + [0])
  }

  private var platformBytes: [CChar] {
    withPlatformString { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) }
  }
}
