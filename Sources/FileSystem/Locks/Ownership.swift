import Glibc
import Operations
import Synchronization
import SystemPackage

/// Checks that no other user of this machine can make, change or exchange a file. The program checks everything that it
/// obeys: libraries, job files, state folders, password files, hooks and locks. sudo, sshd and git have similar rules.
///
/// A file or folder passes if two conditions hold for it and for each folder above it, on the path without symbolic
/// links:
///
/// - It belongs to this user, to root, or to the owner of `/`.
/// - No other user may write to it. Other users may write to a sticky folder above it, such as `/tmp`, since they
///   cannot rename files of this user there. The permissions of the group show an ACL that lets other users write.
///
/// The owner of `/` differs from root only in a user namespace that does not map root. systemd makes such a namespace
/// for the restricted services of a user.
///
/// On a file system without owners, such as FAT, the mount decides the owner and the permissions of all files.
/// `trust(_:)` excepts folders.
package enum Ownership {
  /// Real paths of folders below which every file passes.
  private static let trusted = Mutex<[FilePath]>([])

  /// Excepts folders, and everything in them, from the rule for the rest of this process. Ignores a missing folder.
  package static func trust(_ folders: [FilePath]) {
    let folders = folders.compactMap(\.realPath)
    trusted.withLock { $0 += folders }
  }

  /// Throws if another user may change an open folder or its files, or exchange it. Blocks.
  ///
  /// - Parameter isParent: true to throw only if another user may exchange a new file or folder in the folder.
  /// - Throws: `OwnershipError`, or `FileError` if a folder above it cannot be examined.
  package static func require(_ directory: borrowing Directory, isParent: Bool = false) throws {
    try require(directory.status(), directory.descriptorPath, directory.path, isParent: isParent)
  }

  /// Throws if another user may change the file of a descriptor, or exchange it. `path` is for messages. Blocks.
  ///
  /// - Throws: `OwnershipError`, or `FileError` if a folder above it cannot be examined.
  package static func require(descriptor: CInt, at path: FilePath) throws {
    let status = try FileError.attempt("read the status of", path) { () throws(Errno) in
      FileStatus(try SystemCalls.fstat(descriptor))
    }
    guard status.kind == .file else { return }
    try require(status, FilePath("/proc/self/fd/\(descriptor)"), path)
  }

  /// Throws if another user may change an open file, or exchange it. A pipe or a terminal passes if this process could
  /// open it. Blocks.
  ///
  /// - Throws: `OwnershipError`, or `FileError` if a folder above it cannot be examined.
  package static func require(_ file: borrowing File) throws {
    try require(descriptor: file.descriptor, at: file.path)
  }

  /// Throws if another user may change a file or folder in a folder that passes, or if a file in it has another name, which
  /// may be in another folder.
  ///
  /// - Parameter names: the number of the file's names that the caller knows.
  /// - Throws: `OwnershipError`.
  package static func require(
    _ status: FileStatus, inOwnFolderAt path: @autoclosure () -> FilePath, names: Int = 1
  ) throws(OwnershipError) {
    try check(status, path(), owners, isUsed: true)
    if status.kind == .file { try requireNames(status, at: path(), known: names) }
  }

  /// Throws if a lock file in a folder of any user belongs to another user, or has a second name.
  static func requireLock(_ status: FileStatus, at path: FilePath) throws(OwnershipError) {
    guard status.owner == geteuid() else {
      throw OwnershipError(path: path, control: .otherLock(status.owner))
    }
    try requireNames(status, at: path)
  }

  /// Throws if a file that this program will change has more names than those that the caller knows. Another name may be in
  /// another folder.
  static func requireNames(
    _ status: FileStatus, at path: @autoclosure () -> FilePath, known: Int = 1
  ) throws(OwnershipError) {
    guard status.linkCount > known else { return }
    throw OwnershipError(path: path(), control: .names(status.linkCount))
  }

  /// Returns true if this user or root made a file, or if its folder is trusted.
  package static func isOwn(_ status: FileStatus, at path: FilePath) -> Bool {
    owners.contains(status.owner) || isTrusted(path)
  }

  /// Returns true if a path is in a trusted folder. Blocks.
  package static func isTrusted(_ path: FilePath) -> Bool {
    let trusted = trusted.withLock { $0 }
    guard !trusted.isEmpty, let real = path.realPath else { return false }
    return trusted.contains { real.starts(with: $0) }
  }

  /// The users who may own a file that this process obeys.
  private static var owners: Set<UInt32> { [geteuid(), 0, ownerOfRootFolder] }

  private static let ownerOfRootFolder =
    (try? SystemCalls.fstatat(AT_FDCWD, "/")).map(\.st_uid) ?? 0

  /// - Parameter isParent: true for a folder above the file or folder to be used.
  private static func require(
    _ status: FileStatus, _ descriptorPath: FilePath, _ path: FilePath, isParent: Bool = false
  ) throws {
    guard let real = descriptorPath.realPath else { throw FileError("find", path, .noSuchFileOrDirectory) }
    guard !isTrusted(real) else { return }
    let owners = owners
    try check(status, real, owners, isUsed: !isParent)
    // from the root down: after a folder has passed, no other user can exchange the next folder
    for folder in real.foldersAbove {
      let status = try FileError.attempt("read the status of", folder) { () throws(Errno) in
        FileStatus(try SystemCalls.fstatat(AT_FDCWD, folder))
      }
      try check(status, folder, owners, isUsed: false)
    }
  }

  /// - Parameter isUsed: false for a folder above the file or folder to be used.
  private static func check(
    _ status: FileStatus, _ path: @autoclosure () -> FilePath, _ owners: Set<UInt32>, isUsed: Bool
  ) throws(OwnershipError) {
    guard owners.contains(status.owner) else {
      throw OwnershipError(path: path(), control: isUsed ? .owner(status.owner) : .ownerAbove(status.owner))
    }
    guard status.isWritableByOthers, isUsed || !status.isSticky else { return }
    throw OwnershipError(path: path(), control: .writable)
  }
}

/// Another user of this machine may have made or changed a file that this program would obey.
public struct OwnershipError: ExplainedError, Equatable, CustomStringConvertible {
  /// What gives another user control.
  public enum Control: Sendable, Equatable {
    /// The user with this ID owns the file or folder to be used.
    case owner(UInt32)
    /// The user with this ID owns a folder above it.
    case ownerAbove(UInt32)
    /// Other users may write to it.
    case writable
    /// The file has this number of names.
    case names(Int)
    /// The user with this ID made a file with the name of this user's lock file.
    case otherLock(UInt32)
  }

  /// The file or folder.
  public let path: FilePath
  /// What gives another user control.
  public let control: Control

  /// Always `access`.
  public var cause: ErrorCause { .access }

  /// Nil if the description has the remedy.
  public var remedy: Remedy? {
    switch control {
    case .writable: keepsPermissions ? nil : .trustFolder("\(path)")
    case .owner, .ownerAbove, .names, .otherLock: nil
    }
  }

  /// One line for the user.
  public var description: String {
    let text =
      switch control {
      case .owner(let id):
        "\(path) belongs to \(UserAccount.label(of: id)), who can change it; use one of your own"
      case .ownerAbove(let id):
        "\(path) belongs to \(UserAccount.label(of: id)), who can exchange what is in it; use a folder of your own"
      case .writable:
        "other users can write to \(path)" + (keepsPermissions ? "; run chmod go-w \(path)" : "")
      case .names(let count):
        "\(path) has \(count) names, and may be a file of another folder; replace it by a copy"
      case .otherLock(let id):
        "\(path) belongs to \(UserAccount.label(of: id)), and is in the place of your lock file; remove it"
      }
    return text.escaped
  }

  /// False on a file system where the mount decides the permissions.
  private var keepsPermissions: Bool {
    let folder = (try? Directory.open(path)) == nil ? path.folder : path
    return (try? Directory.open(folder).fileSystem().keepsOwners) ?? true
  }
}
