import CSystemCalls
import Glibc
import SystemPackage

/// The system calls that access user data. All but those that only advise the kernel use `call`, which repeats a call
/// after a signal, and injects the faults of tests.
///
/// swift-system does not have `openat`, `fsync` and `renameat2`. All functions throw only the kernel's `Errno`; `File`
/// and `Directory` add the path.
enum SystemCalls {
  /// Makes a call, and repeats it while signals interrupt it. The descriptor and the name are the arguments of the
  /// call.
  private static func call<Result: FixedWidthInteger>(
    _ kind: SystemCall, _ descriptor: CInt, _ name: FilePath? = nil, _ body: () -> Result
  ) throws(Errno) -> Result {
    try transfer(kind, descriptor, name, count: 0) { _ in body() }
  }

  /// The same for a call that reads or writes `count` bytes, which a fault may halve.
  private static func transfer<Result: FixedWidthInteger>(
    _ kind: SystemCall, _ descriptor: CInt, _ name: FilePath? = nil, count: Int, _ body: (Int) -> Result
  ) throws(Errno) -> Result {
    while true {
      let result =
        FaultInjection.isArmed
        ? FaultInjection.call(kind, descriptor, name, count, body) : body(count)
      if result != -1 { return result }
      let code = Glibc.errno
      if code != EINTR { throw Errno(rawValue: code) }
    }
  }

  static func openat(
    _ directory: CInt, _ name: FilePath, _ flags: CInt, _ mode: mode_t = 0
  ) throws(Errno) -> CInt {
    let kind: SystemCall =
      flags & smilepile_o_tmpfile == smilepile_o_tmpfile
      ? .openUnnamed : flags & O_CREAT != 0 ? .create : .open
    return try call(kind, directory, name) {
      name.withPlatformString { smilepile_openat(directory, $0, flags | O_CLOEXEC, mode) }
    }
  }

  static func pread(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    var count = buffer.count
    if FaultInjection.isArmed, let bad = FaultInjection.badSectors(of: descriptor),
      bad.overlaps(offset..<offset + count)
    {
      guard offset < bad.lowerBound else { throw .ioError }
      count = bad.lowerBound - offset
    }
    return try transfer(.read, descriptor, count: count) {
      Glibc.pread(descriptor, buffer.baseAddress, $0, off_t(offset))
    }
  }

  static func pwrite(
    _ descriptor: CInt, _ buffer: UnsafeRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    try transfer(.write, descriptor, count: buffer.count) {
      Glibc.pwrite(descriptor, buffer.baseAddress, $0, off_t(offset))
    }
  }

  /// Writes at most 1,024 parts one behind the other.
  static func pwritev(
    _ descriptor: CInt, _ parts: ArraySlice<UnsafeRawBufferPointer>, at offset: Int
  ) throws(Errno) -> Int {
    var vectors = parts.map {
      iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
    }
    let all = parts.reduce(0) { $0 + $1.count }
    return try transfer(.write, descriptor, count: all) { count in
      var left = all - count
      while left > 0, let last = vectors.indices.last {
        let cut = min(left, vectors[last].iov_len)
        vectors[last].iov_len -= cut
        left -= cut
        if vectors[last].iov_len == 0 { vectors.removeLast() }
      }
      return Glibc.pwritev(descriptor, vectors, CInt(vectors.count), off_t(offset))
    }
  }

  static func fstat(_ descriptor: CInt) throws(Errno) -> stat {
    var status = stat()
    _ = try call(.status, descriptor) { Glibc.fstat(descriptor, &status) }
    return status
  }

  /// Does not follow a link.
  static func fstatat(_ directory: CInt, _ name: FilePath) throws(Errno) -> stat {
    var status = stat()
    _ = try call(.status, directory, name) {
      name.withPlatformString { Glibc.fstatat(directory, $0, &status, AT_SYMLINK_NOFOLLOW) }
    }
    return status
  }

  /// Never repeated after a failure: the kernel reports a lost page only once, so the second call would succeed.
  static func fsync(_ descriptor: CInt) throws(Errno) {
    _ = try call(.sync, descriptor) { Glibc.fsync(descriptor) }
  }

  /// Never repeated after a failure, as `fsync`.
  static func syncfs(_ descriptor: CInt) throws(Errno) {
    _ = try call(.syncFileSystem, descriptor) { smilepile_syncfs(descriptor) }
  }

  static func ftruncate(_ descriptor: CInt, _ size: Int) throws(Errno) {
    _ = try call(.truncate, descriptor) { Glibc.ftruncate(descriptor, off_t(size)) }
  }

  /// `sync_file_range` with only `SYNC_FILE_RANGE_WRITE` starts write-back and does not wait. Its flags that wait would
  /// consume the error that the final `fsync` must report.
  static func startWriteBack(_ descriptor: CInt, from offset: Int, count: Int) {
    _ = smilepile_start_write_back(descriptor, off_t(offset), off_t(count))
  }

  static func announceReading(_ descriptor: CInt, from offset: Int, count: Int) {
    _ = posix_fadvise(descriptor, off_t(offset), off_t(count), POSIX_FADV_WILLNEED)
  }

  static func mkdirat(_ directory: CInt, _ name: FilePath, _ mode: mode_t) throws(Errno) {
    _ = try call(.makeDirectory, directory, name) {
      name.withPlatformString { Glibc.mkdirat(directory, $0, mode) }
    }
  }

  static func unlinkat(_ directory: CInt, _ name: FilePath, isDirectory: Bool) throws(Errno) {
    _ = try call(.unlink, directory, name) {
      name.withPlatformString { Glibc.unlinkat(directory, $0, isDirectory ? AT_REMOVEDIR : 0) }
    }
  }

  /// `renameat2` with `RENAME_NOREPLACE`: EEXIST if the new name is taken, EINVAL if the file system does not support
  /// the flag.
  static func renameNoReplace(
    _ from: CInt, _ old: FilePath, _ to: CInt, _ new: FilePath
  ) throws(Errno) {
    _ = try call(.renameNoReplace, to, new) {
      old.withPlatformString { old in
        new.withPlatformString { new in smilepile_rename_no_replace(from, old, to, new) }
      }
    }
  }

  static func renameat(_ from: CInt, _ old: FilePath, _ to: CInt, _ new: FilePath) throws(Errno) {
    _ = try call(.rename, to, new) {
      old.withPlatformString { old in new.withPlatformString { Glibc.renameat(from, old, to, $0) } }
    }
  }

  static func linkat(_ from: CInt, _ old: FilePath, _ to: CInt, _ new: FilePath) throws(Errno) {
    _ = try call(.link, to, new) {
      old.withPlatformString { old in new.withPlatformString { Glibc.linkat(from, old, to, $0, 0) } }
    }
  }

  /// Links a file that was opened with `O_TMPFILE`, through `/proc/self/fd`: unlike `AT_EMPTY_PATH`, that needs no
  /// privilege.
  static func linkDescriptor(_ descriptor: CInt, _ to: CInt, _ new: FilePath) throws(Errno) {
    _ = try call(.linkDescriptor, to, new) {
      "/proc/self/fd/\(descriptor)".withCString { old in
        new.withPlatformString { Glibc.linkat(AT_FDCWD, old, to, $0, AT_SYMLINK_FOLLOW) }
      }
    }
  }

  static func flock(_ descriptor: CInt, _ operation: CInt) throws(Errno) {
    _ = try call(.lock, descriptor) { smilepile_flock(descriptor, operation) }
  }

  /// Throws `.wouldBlock` if another open file has locked the byte.
  static func lockByte(_ descriptor: CInt, at offset: Int64) throws(Errno) {
    do throws(Errno) {
      _ = try call(.lock, descriptor) { smilepile_lock_byte(descriptor, off_t(offset)) }
    } catch .permissionDenied {
      // fcntl(2): EACCES or EAGAIN
      throw .wouldBlock
    }
  }

  static func unlockBytes(_ descriptor: CInt) throws(Errno) {
    _ = try call(.lock, descriptor) { smilepile_unlock_bytes(descriptor) }
  }

  static func isByteLocked(_ descriptor: CInt, at offset: Int64) throws(Errno) -> Bool {
    try call(.lock, descriptor) { smilepile_is_byte_locked(descriptor, off_t(offset)) } != 0
  }

  /// Returns true if a process has a file open for writing that this process opened for reading: the kernel then refuses a
  /// read lease. Throws EACCES for a file of another user, EINVAL on a file system without leases.
  static func isOpenForWriting(_ descriptor: CInt) throws(Errno) -> Bool {
    try call(.lock, descriptor) { smilepile_is_open_for_writing(descriptor) } != 0
  }

  static func setTimes(_ descriptor: CInt, modified: timespec) throws(Errno) {
    let times = [timespec(tv_sec: 0, tv_nsec: smilepile_utime_omit), modified]
    _ = try call(.setTimes, descriptor) { futimens(descriptor, times) }
  }

  static func setMode(_ descriptor: CInt, _ mode: mode_t) throws(Errno) {
    _ = try call(.setMode, descriptor) { fchmod(descriptor, mode) }
  }

  /// Returns the magic number of an open file's file system (`f_type` of statfs(2)), and the bytes that are free for an
  /// unprivileged user.
  static func fileSystem(_ descriptor: CInt) throws(Errno) -> (type: Int, freeBytes: Int) {
    var type = 0
    var free = 0
    _ = try call(.fileSystem, descriptor) { smilepile_fstatfs(descriptor, &type, &free) }
    if FaultInjection.isArmed, let other = FaultInjection.fileSystem(of: descriptor) { return other }
    return (type, free)
  }

  /// Throws EROFS if the file system is mounted read-only, EACCES if this process has no write permission.
  static func requireWritable(_ directory: CInt) throws(Errno) {
    _ = try call(.access, directory) { faccessat(directory, ".", W_OK, AT_EACCESS) }
  }

  /// Returns the names in an open folder, without `.` and `..`, in no particular order.
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
      var found: UnsafeMutablePointer<dirent>?
      _ = try call(.list, descriptor) { () -> CInt in
        Glibc.errno = 0
        found = readdir(stream)
        return found == nil && Glibc.errno != 0 ? -1 : 0
      }
      guard let entry = found else { return names }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { FilePath(platformString: $0) }
      }
      if name.string != "." && name.string != ".." { names.append(name) }
    }
  }
}
