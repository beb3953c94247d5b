import CSystemCalls
import Glibc
import SystemPackage

/// An open file. It owns its descriptor, which is closed when the value goes, and knows its path for
/// messages. All functions block. Reading and writing are by offset, so that threads can share a file.
package struct File: ~Copyable, Sendable {
  /// The kernel's number for the open file.
  let descriptor: CInt
  /// Where it was opened, for messages; it may have been renamed since.
  package var path: FilePath { folder.map { name.inFolder($0) } ?? name }
  /// Put together only when it is asked for.
  private let name: FilePath
  private let folder: FilePath?
  /// What could not be read and is passed over; nil for a file of which every byte counts.
  private let badSectors: BadSectors?

  /// A path by which this process can open the same file again, whatever has become of its name, and before it
  /// has one. Valid as long as the value lives. proc(5).
  package var descriptorPath: FilePath { FilePath("/proc/self/fd/\(descriptor)") }

  init(descriptor: CInt, path: FilePath, in folder: FilePath? = nil, _ badSectors: BadSectors? = nil) {
    self.descriptor = descriptor
    name = path
    self.folder = folder
    self.badSectors = badSectors
  }

  deinit { close(descriptor) }

  /// How many files this process may have open at a time. getrlimit(2), `RLIMIT_NOFILE`.
  package static var mostOpen: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
    return Int(clamping: limit.rlim_cur)
  }

  /// How a file is opened.
  package enum Mode: Sendable {
    /// For reading. A symbolic link in the last component is refused (ELOOP), and opening a FIFO does
    /// not wait for a writer.
    case read
    /// For reading; a symbolic link is followed. For paths that a person gave.
    case readFollowingLinks
    /// As `readFollowingLinks`, for rescuing what is left: where the disk has bad sectors (EIO) zeros are read, in
    /// steps of 4 KiB, up to 64 MiB of them.
    case readSkippingBadSectors
    /// For reading and writing; made with mode 0600 if it is not there, never emptied.
    case readWrite
    /// For writing; made with mode 0600. An existing file of that name is an error (EEXIST).
    case create
    /// For writing, in a folder, without a name (`O_TMPFILE`), mode 0600: it is gone with the last
    /// descriptor unless `Directory.link` names it. EOPNOTSUPP where the file system has none.
    case unnamed

    var flags: CInt {
      switch self {
      case .read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK
      case .readFollowingLinks, .readSkippingBadSectors: O_RDONLY | O_NONBLOCK
      case .readWrite: O_RDWR | O_CREAT | O_NOFOLLOW
      case .create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
      case .unnamed: O_RDWR | smilepile_o_tmpfile
      }
    }
  }

  /// Opens a file by a path that a person gave. Paths inside a library go through `Directory.open`.
  package static func open(_ path: FilePath, _ mode: Mode) throws(FileError) -> File {
    try FileError.attempt("open", path) { () throws(Errno) in
      File(
        descriptor: try SystemCalls.openat(AT_FDCWD, path, mode.flags, 0o600), path: path,
        mode == .readSkippingBadSectors ? BadSectors() : nil)
    }
  }

  /// What the kernel knows of the file now. fstat(2).
  package func status() throws(FileError) -> FileStatus {
    try FileError.attempt("examine", path) { () throws(Errno) in
      FileStatus(try SystemCalls.fstat(descriptor))
    }
  }

  /// Reads until `buffer` is full or the file ends, and returns the bytes read. pread(2).
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = try FileError.attempt("read", path) { () throws(Errno) in
        guard let badSectors else { return try SystemCalls.pread(descriptor, rest, at: offset + filled) }
        return try badSectors.read(descriptor, rest, at: offset + filled)
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Reads up to `count` bytes; fewer come back at the end of the file. pread(2).
  package func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let filled: Int
    do {
      filled = try bytes.withUnsafeMutableBytes { try read(into: $0, at: offset) }
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError("read", path, .ioError)
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  /// Writes all of `buffer`. pwrite(2).
  package func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(FileError) {
    var written = 0
    while written < buffer.count {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
      written += try FileError.attempt("write", path) { () throws(Errno) in
        try SystemCalls.pwrite(descriptor, rest, at: offset + written)
      }
    }
  }

  /// Writes all of `bytes`. pwrite(2).
  package func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    do {
      try bytes.withUnsafeBytes { try write($0, at: offset) }
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError("write", path, .ioError)
    }
  }

  /// Makes what was written durable. After a failure the file must be thrown away: the kernel says only
  /// once that a page was lost. fsync(2).
  package func sync() throws(FileError) {
    try FileError.attempt("flush to disk", path) { () throws(Errno) in
      try SystemCalls.fsync(descriptor)
    }
  }

  /// Cuts or extends the file to `size` bytes. ftruncate(2).
  package func resize(to size: Int) throws(FileError) {
    try FileError.attempt("resize", path) { () throws(Errno) in
      try SystemCalls.ftruncate(descriptor, size)
    }
  }

  /// Asks the kernel to begin writing a range out, and waits for nothing. sync_file_range(2).
  package func startWriteBack(from offset: Int, count: Int) {
    SystemCalls.startWriteBack(descriptor, from: offset, count: count)
  }

  /// Says who may read and write the file, as chmod(1) does: 0o640 lets the group read it. fchmod(2).
  package func setPermissions(_ mode: UInt16) throws(FileError) {
    try FileError.attempt("set the permissions of", path) { () throws(Errno) in
      try SystemCalls.setMode(descriptor, mode_t(mode))
    }
  }

  /// Sets the date of the last change. futimens(2).
  package func setModified(milliseconds: Int64) throws(FileError) {
    let (seconds, rest) = milliseconds.flooredDivision(by: 1000)
    try FileError.attempt("set the date of", path) { () throws(Errno) in
      try SystemCalls.setTimes(
        descriptor, modified: timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000))
    }
  }

  /// Locks the file for as long as this value lives, and returns false when another process has it.
  /// Locks are advisory, belong to the open file, and go with their owner. flock(2).
  package func lock(exclusive: Bool) throws(FileError) -> Bool {
    do {
      try SystemCalls.flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB)
      return true
    } catch .wouldBlock {
      return false
    } catch {
      throw FileError("lock", path, error)
    }
  }

  /// Gives the lock back at once. Closing does it too, but not while a process that is just being started still
  /// has its copy of the descriptor. flock(2).
  package func unlock() { _ = try? SystemCalls.flock(descriptor, LOCK_UN) }

  /// The file system that holds the file. fstatfs(2).
  package func fileSystem() throws(FileError) -> FileSystemStatus {
    try FileError.attempt("examine", path) { () throws(Errno) in
      FileSystemStatus(try SystemCalls.fileSystem(descriptor))
    }
  }
}

extension FileError {
  /// Runs `body` and gives the error that it throws an operation and a path. Both are made only then.
  static func attempt<Result: ~Copyable>(
    _ operation: @autoclosure () -> String, _ path: @autoclosure () -> FilePath,
    _ body: () throws(Errno) -> Result
  ) throws(FileError) -> Result {
    do {
      return try body()
    } catch {
      throw FileError(operation(), path(), error)
    }
  }
}

extension Int64 {
  /// Division that rounds down, so that the remainder is never negative.
  func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
