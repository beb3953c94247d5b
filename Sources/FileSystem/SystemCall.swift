/// The kinds of system call that `SystemCalls` makes, by the names of the manual's section 2, so that a report
/// can say at which one something happened.
package enum SystemCall: String, CaseIterable, Sendable {
  /// openat(2) of what is there.
  case open
  /// openat(2) with `O_CREAT`.
  case create
  /// openat(2) with `O_TMPFILE`.
  case openUnnamed
  /// pread(2).
  case read
  /// pwrite(2).
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
  /// linkat(2) of a file that has no name yet.
  case linkDescriptor
  /// flock(2).
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

  /// Whether the call changes anything on a disk, or promises that something is on it.
  package var writes: Bool {
    switch self {
    case .open, .read, .status, .lock, .fileSystem, .access, .list: false
    case .create, .openUnnamed, .write, .sync, .syncFileSystem, .truncate, .makeDirectory, .unlink,
      .renameNoReplace, .rename, .link, .linkDescriptor, .setTimes, .setMode:
      true
    }
  }
}
