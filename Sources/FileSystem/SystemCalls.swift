import CSystemCalls
import Glibc
import SystemPackage

/// The system calls that touch user data, and nothing else. Every one of them passes through `call`, so
/// that what happens around a system call (retrying after a signal, and faults injected by tests) is
/// written once.
///
/// swift-system has no `openat`, `fsync` or `renameat2`, which is why these stand here. All functions
/// throw the kernel's `Errno` alone; `File` and `Directory` add the path.
enum SystemCalls {
  /// Runs a call until a signal no longer interrupts it.
  private static func call<Result: FixedWidthInteger>(
    _ body: () -> Result
  ) throws(Errno) -> Result {
    while true {
      let result = body()
      if result != -1 { return result }
      let code = Glibc.errno
      if code != EINTR { throw Errno(rawValue: code) }
    }
  }

  static func openat(
    _ directory: CInt, _ name: FilePath, _ flags: CInt, _ mode: mode_t = 0
  ) throws(Errno) -> CInt {
    try call { name.withPlatformString { smilepile_openat(directory, $0, flags | O_CLOEXEC, mode) } }
  }

  static func pread(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    try call { Glibc.pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  static func pwrite(
    _ descriptor: CInt, _ buffer: UnsafeRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    try call { Glibc.pwrite(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  static func fstat(_ descriptor: CInt) throws(Errno) -> stat {
    var status = stat()
    _ = try call { Glibc.fstat(descriptor, &status) }
    return status
  }

  static func fstatat(_ directory: CInt, _ name: FilePath, followLinks: Bool) throws(Errno) -> stat {
    var status = stat()
    let flags = followLinks ? 0 : AT_SYMLINK_NOFOLLOW
    _ = try call { name.withPlatformString { Glibc.fstatat(directory, $0, &status, flags) } }
    return status
  }

  /// Never tried again after a failure: the kernel reports a lost page once, and the retry would lie.
  static func fsync(_ descriptor: CInt) throws(Errno) {
    _ = try call { Glibc.fsync(descriptor) }
  }

  static func ftruncate(_ descriptor: CInt, _ size: Int) throws(Errno) {
    _ = try call { Glibc.ftruncate(descriptor, off_t(size)) }
  }

  /// `sync_file_range` with `SYNC_FILE_RANGE_WRITE` alone starts write-back and waits for nothing; its
  /// waiting flags would swallow the error that the final `fsync` has to see.
  static func startWriteBack(_ descriptor: CInt, from offset: Int, count: Int) {
    _ = smilepile_start_write_back(descriptor, off_t(offset), off_t(count))
  }

  static func mkdirat(_ directory: CInt, _ name: FilePath, _ mode: mode_t) throws(Errno) {
    _ = try call { name.withPlatformString { Glibc.mkdirat(directory, $0, mode) } }
  }

  static func unlinkat(_ directory: CInt, _ name: FilePath, isDirectory: Bool) throws(Errno) {
    _ = try call {
      name.withPlatformString { Glibc.unlinkat(directory, $0, isDirectory ? AT_REMOVEDIR : 0) }
    }
  }

  /// `renameat2` with `RENAME_NOREPLACE`: EEXIST where the new name is taken, EINVAL where the file
  /// system cannot promise it.
  static func renameNoReplace(
    _ from: CInt, _ old: FilePath, _ to: CInt, _ new: FilePath
  ) throws(Errno) {
    _ = try call {
      old.withPlatformString { old in
        new.withPlatformString { new in smilepile_rename_no_replace(from, old, to, new) }
      }
    }
  }

  static func renameat(_ from: CInt, _ old: FilePath, _ to: CInt, _ new: FilePath) throws(Errno) {
    _ = try call {
      old.withPlatformString { old in new.withPlatformString { Glibc.renameat(from, old, to, $0) } }
    }
  }

  static func linkat(_ from: CInt, _ old: FilePath, _ to: CInt, _ new: FilePath) throws(Errno) {
    _ = try call {
      old.withPlatformString { old in new.withPlatformString { Glibc.linkat(from, old, to, $0, 0) } }
    }
  }

  /// Gives a file that was opened with `O_TMPFILE` a name, through `/proc/self/fd`, which needs no
  /// privilege (`AT_EMPTY_PATH` does).
  static func linkDescriptor(_ descriptor: CInt, _ to: CInt, _ new: FilePath) throws(Errno) {
    _ = try call {
      "/proc/self/fd/\(descriptor)".withCString { old in
        new.withPlatformString { Glibc.linkat(AT_FDCWD, old, to, $0, AT_SYMLINK_FOLLOW) }
      }
    }
  }

  static func flock(_ descriptor: CInt, _ operation: CInt) throws(Errno) {
    _ = try call { smilepile_flock(descriptor, operation) }
  }

  static func setTimes(_ descriptor: CInt, modified: timespec) throws(Errno) {
    let times = [timespec(tv_sec: 0, tv_nsec: smilepile_utime_omit), modified]
    _ = try call { futimens(descriptor, times) }
  }

  /// The magic number of the file system that holds an open file (`f_type` of statfs(2)), and the bytes
  /// that an ordinary user can still write to it.
  static func fileSystem(_ descriptor: CInt) throws(Errno) -> (type: Int, freeBytes: Int) {
    var type = 0
    var free = 0
    _ = try call { smilepile_fstatfs(descriptor, &type, &free) }
    return (type, free)
  }

  /// Throws EROFS on a file system that nobody can write to, EACCES where this process may not.
  static func requireWritable(_ directory: CInt) throws(Errno) {
    _ = try call { faccessat(directory, ".", W_OK, AT_EACCESS) }
  }

  /// The names in an open folder, without `.` and `..`, in no order.
  static func names(_ descriptor: CInt) throws(Errno) -> [FilePath] {
    let own = try openat(descriptor, ".", O_RDONLY | O_DIRECTORY)
    guard let stream = fdopendir(own) else {
      let code = Glibc.errno
      Glibc.close(own)
      throw Errno(rawValue: code)
    }
    defer { closedir(stream) }
    var names: [FilePath] = []
    while true {
      Glibc.errno = 0
      guard let entry = readdir(stream) else {
        if Glibc.errno != 0 { throw Errno(rawValue: Glibc.errno) }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { FilePath(platformString: $0) }
      }
      if name.string != "." && name.string != ".." { names.append(name) }
    }
  }
}
