import CSystemCalls
import Glibc
import Operations
import SystemPackage

/// An open file. It owns its descriptor, which the deinitializer closes, and keeps its path for messages. All functions
/// block. They read and write at an offset, so that threads can share a file.
package struct File: OpenDescriptor, ~Copyable, Sendable {
  /// The file descriptor.
  package let descriptor: CInt
  /// The path when the file was opened, or that it will get, for messages. The file may have been renamed since.
  package var path: FilePath { folder.map { name.inFolder($0) } ?? name }
  /// Joined only when a message needs the path.
  private let name: FilePath
  private let folder: FilePath?
  /// Skips unreadable sectors; nil if they are errors.
  private let badSectors: BadSectors?

  init(descriptor: CInt, path: FilePath, in folder: FilePath? = nil, _ badSectors: BadSectors? = nil) {
    self.descriptor = descriptor
    name = path
    self.folder = folder
    self.badSectors = badSectors
  }

  deinit { close(descriptor) }

  /// The most files that this process may have open. getrlimit(2), `RLIMIT_NOFILE`.
  package static var maximumOpen: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
    return Int(clamping: limit.rlim_cur)
  }

  /// How a file is opened.
  package enum Mode: Sendable {
    /// For reading. Refuses a symbolic link in the last component (ELOOP). Does not wait for the writer of a FIFO.
    case read
    /// For reading, following symbolic links. For paths that the user gave.
    case readFollowingLinks
    /// As `readFollowingLinks`, for salvage: reads zeros in place of bad sectors (EIO), in steps of 4 KiB and up to 64
    /// MiB.
    case readSkippingBadSectors
    /// For reading and writing. Creates a missing file with mode 0600; does not truncate an existing one.
    case readWrite
    /// For reading and writing an existing file. Refuses a symbolic link, as `read` does.
    case update
    /// For reading and writing. Creates the file with mode 0600; an existing file is an error (EEXIST).
    case create
    /// For reading and writing an unnamed file in a folder (`O_TMPFILE`), with mode 0600. The kernel deletes it with the last
    /// descriptor unless `Directory.link` gives it a name. EOPNOTSUPP if the file system does not support unnamed
    /// files.
    case unnamed

    var flags: CInt {
      switch self {
      case .read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK
      case .readFollowingLinks, .readSkippingBadSectors: O_RDONLY | O_NONBLOCK
      case .readWrite: O_RDWR | O_CREAT | O_NOFOLLOW
      case .update: O_RDWR | O_NOFOLLOW | O_NONBLOCK
      case .create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
      case .unnamed: O_RDWR | smilepile_o_tmpfile
      }
    }
  }

  /// Opens a file by a path that the user gave. Paths within a library are opened by `Directory.open`.
  package static func open(_ path: FilePath, _ mode: Mode) throws(FileError) -> File {
    try FileError.attempt("open", path) { () throws(Errno) in
      File(
        descriptor: try SystemCalls.openat(AT_FDCWD, path, mode.flags, 0o600), path: path,
        mode == .readSkippingBadSectors ? BadSectors() : nil)
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

  /// Reads up to `count` bytes; fewer come back at the end of the file. Allocates `count` bytes, so the caller must bound
  /// the count; `contents(atMost:)` reads a whole file. pread(2).
  package func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let filled = try bytes.withUnsafeMutableBufferPointer { (bytes) throws(FileError) in
      try read(into: UnsafeMutableRawBufferPointer(bytes), at: offset)
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

  /// Writes all of the parts one behind the other, at most 1,024. pwritev(2).
  package func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(FileError) {
    var rest = parts[...]
    var position = offset
    while !rest.isEmpty {
      var written = try FileError.attempt("write", path) { () throws(Errno) in
        try SystemCalls.pwritev(descriptor, rest, at: position)
      }
      position += written
      while let part = rest.first, written >= part.count {
        written -= part.count
        rest.removeFirst()
      }
      if let part = rest.first { rest[rest.startIndex] = UnsafeRawBufferPointer(rebasing: part[written...]) }
    }
  }

  /// Writes all of `bytes`. pwrite(2).
  package func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(FileError) in
      try write(UnsafeRawBufferPointer(bytes), at: offset)
    }
  }

  /// Makes all writes durable. After a failure the caller must discard the file: the kernel reports a lost page only
  /// once. fsync(2).
  package func sync() throws(FileError) {
    try FileError.attempt("flush to disk", path) { () throws(Errno) in
      try SystemCalls.fsync(descriptor)
    }
  }

  /// Truncates or extends the file to `size` bytes. ftruncate(2).
  package func resize(to size: Int) throws(FileError) {
    try FileError.attempt("resize", path) { () throws(Errno) in
      try SystemCalls.ftruncate(descriptor, size)
    }
  }

  /// Starts write-back of a range and does not wait. sync_file_range(2).
  package func startWriteBack(from offset: Int, count: Int) {
    SystemCalls.startWriteBack(descriptor, from: offset, count: count)
  }

  /// Lets the kernel read a range in advance, and does not wait. posix_fadvise(2).
  package func announceReading(from offset: Int, count: Int) {
    SystemCalls.announceReading(descriptor, from: offset, count: count)
  }

  /// Sets the permissions as chmod(1) does: 0o640 lets the group read the file. fchmod(2).
  package func setPermissions(_ mode: UInt16) throws(FileError) {
    try FileError.attempt("set the permissions of", path) { () throws(Errno) in
      try SystemCalls.setMode(descriptor, mode_t(mode))
    }
  }

  /// Sets the modification time. futimens(2).
  package func setModified(_ time: Timestamp) throws(FileError) {
    let (seconds, rest) = time.seconds
    try FileError.attempt("set the date of", path) { () throws(Errno) in
      try SystemCalls.setTimes(
        descriptor, modified: timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000))
    }
  }
}
