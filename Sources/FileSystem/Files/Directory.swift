import Glibc
import SystemPackage

/// An open folder. Names are resolved in it, one component at a time and never through a symbolic link, so that a link
/// within a library cannot lead out of it. It owns its descriptor, which the deinitializer closes. All functions block.
package struct Directory: OpenDescriptor, ~Copyable, Sendable {
  /// The file descriptor.
  package let descriptor: CInt
  /// The path when the folder was opened, for messages.
  package let path: FilePath

  private init(descriptor: CInt, path: FilePath) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Opens a folder by a path that the user gave, following symbolic links.
  package static func open(_ path: FilePath) throws(FileError) -> Directory {
    try FileError.attempt("open", path) { () throws(Errno) in
      Directory(descriptor: try SystemCalls.openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY), path: path)
    }
  }

  /// Returns the path of a file in this folder, for messages.
  package func path(of name: FilePath) -> FilePath { name.inFolder(path) }

  /// Opens a file. `name` may have several components; all but the last are opened as folders, without following links.
  /// openat(2).
  ///
  /// - Parameter final: the name that the file will get, for messages; nil if it has its name.
  package func open(
    _ name: FilePath, _ mode: File.Mode, for final: FilePath? = nil
  ) throws(FileError) -> File {
    try call(final == nil ? "open" : "create", name, as: final) { (parent, last) throws(Errno) in
      File(
        descriptor: try SystemCalls.openat(parent, last, mode.flags, 0o600), path: final ?? name, in: path)
    }
  }

  /// Creates an unnamed file in this folder; returns nil if the file system does not support unnamed files. `O_TMPFILE`
  /// of open(2).
  ///
  /// - Parameter final: the name that the file will get, for messages; nil if it is not known yet.
  package func openUnnamed(for final: FilePath? = nil) throws(FileError) -> File? {
    do {
      let descriptor = try SystemCalls.openat(descriptor, ".", File.Mode.unnamed.flags, 0o600)
      if let final { return File(descriptor: descriptor, path: final, in: path) }
      // the path “.” would tell the user nothing in a message
      return File(descriptor: descriptor, path: path == "." ? path.realPath ?? path : path)
    } catch .notSupportedOnSocket, .isDirectory, .noSuchFileOrDirectory, .invalidArgument {
      // open(2) documents EOPNOTSUPP; older file systems and kernels return the others
      return nil
    } catch {
      guard let final else { throw FileError("write to", path, error) }
      throw FileError("create", self.path(of: final), error)
    }
  }

  /// Opens a folder in this one. openat(2).
  package func directory(_ name: FilePath) throws(FileError) -> Directory {
    try call("open", name) { (parent, last) throws(Errno) in
      Directory(
        descriptor: try SystemCalls.openat(parent, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
        path: path(of: name))
    }
  }

  /// Creates a folder with mode 0700; returns false if it exists. The caller must sync this folder before anything
  /// depends on the new one. mkdirat(2).
  @discardableResult
  package func makeDirectory(_ name: FilePath) throws(FileError) -> Bool {
    try call("create the folder", name) { (parent, last) throws(Errno) in
      do throws(Errno) {
        try SystemCalls.mkdirat(parent, last, 0o700)
        return true
      } catch .fileExists {
        return false
      }
    }
  }

  /// Creates a folder and its missing parents with mode 0700, and syncs their names. Follows symbolic links.
  package static func makeAll(_ path: FilePath) throws(FileError) {
    do {
      _ = try Directory.open(path)
    } catch {
      guard error.isMissing, let name = path.lastComponent else { throw error }
      try makeAll(path.folder)
      // another process may have created it meanwhile
      let parent = try Directory.open(path.folder)
      try parent.makeDirectory(FilePath(name.string))
      try parent.sync()
    }
  }

  /// Returns the status of a name; nil if it is missing. Does not follow a symbolic link. fstatat(2).
  package func status(of name: FilePath) throws(FileError) -> FileStatus? {
    do {
      return try call("read the status of", name) { (parent, last) throws(Errno) in
        do throws(Errno) {
          return FileStatus(try SystemCalls.fstatat(parent, last))
        } catch .noSuchFileOrDirectory {
          // an error with the path would take longer to make than the system call
          return nil
        }
      }
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }

  /// Returns the names in the folder, sorted, without `.` and `..`. readdir(3).
  package func names() throws(FileError) -> [FilePath] {
    try FileError.attempt("list", path) { () throws(Errno) in
      // a comparison of two paths would make two texts
      try SystemCalls.names(descriptor).map { ($0.string, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Removes a file, or an empty folder; returns false if it is missing. unlinkat(2).
  @discardableResult
  package func remove(_ name: FilePath, isDirectory: Bool = false) throws(FileError) -> Bool {
    do {
      try call("remove", name) { (parent, last) throws(Errno) in
        try SystemCalls.unlinkat(parent, last, isDirectory: isDirectory)
      }
      return true
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return false
    }
  }

  /// Makes the names in the folder durable. Ignores EINVAL, which file systems return that cannot sync a folder.
  /// fsync(2).
  package func sync() throws(FileError) {
    do {
      try SystemCalls.fsync(descriptor)
    } catch .invalidArgument {
      return
    } catch {
      throw FileError("flush to disk", path, error)
    }
  }

  /// Makes all writes to the folder's file system durable, including those of other processes. This is cheaper than
  /// syncing many files one by one. Reports errors since this value was made. syncfs(2).
  ///
  /// - Returns: false if the file system is not known to report lost pages. Then nothing is synced.
  package func syncFileSystem() throws(FileError) -> Bool {
    guard try fileSystem().reportsErrorsOfSync else { return false }
    try FileError.attempt("flush the file system of", path) { () throws(Errno) in
      try SystemCalls.syncfs(descriptor)
    }
    return true
  }

  /// Returns why the folder is not writable: EROFS if its file system is mounted read-only, EACCES if this process has
  /// no permission. Returns nil if it is writable. faccessat(2).
  package func writeFault() -> Errno? {
    do throws(Errno) {
      try SystemCalls.requireWritable(descriptor)
      return nil
    } catch {
      return error
    }
  }

  /// Makes a system call on `name`. An error has the operation and the path.
  ///
  /// - Parameter shown: the name in the path; nil for `name`.
  func call<Result: ~Copyable>(
    _ operation: @autoclosure () -> String, _ name: FilePath, as shown: FilePath? = nil,
    _ body: (CInt, FilePath) throws(Errno) -> Result
  ) throws(FileError) -> Result {
    try inParent(of: name) { (parent, last) throws(FileError) in
      try FileError.attempt(operation(), path(of: shown ?? name)) { () throws(Errno) in
        try body(parent, last)
      }
    }
  }

  /// Opens the parent folders of `name` one after the other, without following links, and passes the last one and the
  /// last component to `body`.
  func inParent<Result: ~Copyable>(
    of name: FilePath, _ body: (CInt, FilePath) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    if name.isPlainName { return try body(descriptor, name) }
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
