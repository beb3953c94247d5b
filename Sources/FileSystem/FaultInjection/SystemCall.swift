/// The kinds of system calls that `SystemCalls` makes. Reports of injected faults contain them.
package enum SystemCall: String, CaseIterable, Sendable {
  /// openat(2) of an existing file or folder.
  case open
  /// openat(2) with `O_CREAT`.
  case create
  /// openat(2) with `O_TMPFILE`.
  case openUnnamed
  /// pread(2).
  case read
  /// pwrite(2) and pwritev(2).
  case write
  /// fstat(2) and fstatat(2).
  case status
  /// fsync(2).
  case sync
  /// syncfs(2).
  case syncFileSystem
  /// ftruncate(2).
  case truncate
  /// mkdirat(2).
  case makeDirectory
  /// unlinkat(2).
  case unlink
  /// renameat2(2) with `RENAME_NOREPLACE`.
  case renameNoReplace
  /// renameat(2).
  case rename
  /// linkat(2) of a name.
  case link
  /// linkat(2) of an unnamed file.
  case linkDescriptor
  /// flock(2) and fcntl(2).
  case lock
  /// futimens(2).
  case setTimes
  /// fchmod(2).
  case setMode
  /// fstatfs(2).
  case fileSystem
  /// faccessat(2).
  case access
  /// readdir(3).
  case list

  /// True if the call changes a disk, or makes changes durable.
  var writes: Bool {
    switch self {
    case .open, .read, .status, .lock, .fileSystem, .access, .list: false
    case .create, .openUnnamed, .write, .sync, .syncFileSystem, .truncate, .makeDirectory, .unlink,
      .renameNoReplace, .rename, .link, .linkDescriptor, .setTimes, .setMode:
      true
    }
  }
}
