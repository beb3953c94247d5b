import Glibc
import Operations

/// The status of a file: stat(2).
package struct FileStatus: Sendable {
  /// The kind of a directory entry.
  package enum Kind: Sendable {
    /// A regular file.
    case file
    /// A folder.
    case directory
    /// A symbolic link, not followed.
    case symbolicLink
    /// A device, FIFO or socket.
    case other
  }

  /// Its kind.
  package let kind: Kind
  /// The length in bytes.
  package let size: Int
  /// The bytes that the file system has allocated for it. stat(2), `st_blocks`: in units of 512 bytes.
  package let allocatedBytes: Int
  /// The modification time.
  package let modified: Timestamp
  /// The status change time. Programs cannot set it. FAT and exFAT do not store it: there it is
  /// the modification time, or earlier, after the file system was mounted again.
  package let changed: Timestamp
  /// The owner's user ID.
  package let owner: UInt32
  /// True if users other than the owner may write, by the permissions or by an ACL.
  let isWritableByOthers: Bool
  /// True for a regular file with permission for anyone to execute it.
  package let isExecutable: Bool
  /// True for a folder in which only the owner of a file may rename or remove it.
  let isSticky: Bool
  /// The number of the file's names.
  package let linkCount: Int
  /// Device and inode: equal for two names of the same file, and different for all other files at a given time.
  package let identity: Identity
  /// Differs after any change of the file, including its names and permissions.
  package let version: Version

  /// Identifies a file on this machine.
  package struct Identity: Sendable, Hashable {
    /// The device ID of the file system.
    package let device: UInt64
    /// The inode number in that file system.
    package let inode: UInt64
  }

  /// The version of a file at one moment. It excludes the inode: FAT, exFAT and many FUSE file systems assign another
  /// number when the kernel drops the file from its cache. A replaced file has another status change time. FAT and
  /// exFAT do not store that time, so there only modification time and size differ.
  package struct Version: Sendable, Hashable {
    private let size: Int
    private let times: SIMD4<Int>

    fileprivate init(_ status: stat) {
      size = Int(status.st_size)
      // in nanoseconds; programs can set the modification time, but only the kernel sets the status change time
      times = SIMD4(
        status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
    }
  }

  init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
    size = Int(status.st_size)
    allocatedBytes = Int(status.st_blocks) * 512
    modified = Timestamp(rawValue: Int64(status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1_000_000))
    changed = Timestamp(rawValue: Int64(status.st_ctim.tv_sec * 1000 + status.st_ctim.tv_nsec / 1_000_000))
    owner = status.st_uid
    // with an ACL, the permissions of the group are the most that any other user has: acl(5)
    isWritableByOthers = status.st_mode & 0o022 != 0
    isExecutable = status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o111 != 0
    isSticky = status.st_mode & S_ISVTX != 0
    linkCount = Int(status.st_nlink)
    identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    version = Version(status)
  }
}

/// The status of a file system: statfs(2).
package struct FileSystemStatus: Sendable, Equatable {
  /// The bytes that are free for an unprivileged user.
  package let freeBytes: Int
  /// The network protocol of the file system; nil for a local one. SQLite's write-ahead log and flock(2) do not work
  /// across machines.
  package let networkProtocol: String?
  /// True if `Directory.syncFileSystem` reports lost pages: on Linux 5.8 (commit 735e4ae5ba28) and later, and file
  /// systems on disks that mark such pages.
  let reportsErrorsOfSync: Bool
  /// True if its contents are lost on reboot: tmpfs(5) and ramfs.
  package let isInMemory: Bool
  /// True if a file may be written in any order at the same speed, since its gaps take no space: ext2 to ext4, XFS, btrfs and
  /// tmpfs.
  package let hasSparseFiles: Bool
  /// False if other machines or programs can change files without inotify(7) events here: network file systems and FUSE.
  package let reportsEveryChange: Bool
  /// False if the mount decides the owner and the permissions of all files: FAT, exFAT, NTFS and CIFS.
  let keepsOwners: Bool

  init(_ raw: (type: Int, freeBytes: Int)) {
    freeBytes = raw.freeBytes
    // statfs(2), "f_type"
    let type = UInt32(truncatingIfNeeded: raw.type)
    isInMemory = [0x0102_1994, 0x8584_58F6].contains(type)
    keepsOwners = ![
      0x4D44, 0x2011_BAB0, 0x5346_544E, 0x7366_746E, 0xFF53_4D42, 0xFE53_4D42, 0x517B,
    ].contains(type)
    // ext2 to ext4, XFS, btrfs
    let isOnDisk = [0xEF53, 0x5846_5342, 0x9123_683E].contains(type)
    reportsErrorsOfSync = isOnDisk && Self.kernelReportsErrorsOfSync
    hasSparseFiles = isOnDisk || type == 0x0102_1994
    networkProtocol =
      switch type {
      case 0x6969: "NFS"
      case 0xFF53_4D42: "CIFS"
      case 0xFE53_4D42: "SMB2"
      case 0x517B: "SMB"
      case 0x0102_1997: "9P"
      case 0x5346_414F: "AFS"
      case 0x00C3_6400: "Ceph"
      default: nil
      }
    let isFUSE = type == 0x6573_5546
    reportsEveryChange = networkProtocol == nil && !isFUSE
  }

  /// Throws an error if there is not enough free space.
  ///
  /// - Parameters:
  ///   - margin: bytes that are needed in addition to `bytes`.
  ///   - refusal: makes the error from the bytes that are needed and those that are free.
  package func requireSpace<Refusal: Error>(
    _ bytes: Int, margin: Int, orThrow refusal: (_ needed: Int, _ free: Int) -> Refusal
  ) throws(Refusal) {
    let needed = bytes < .max - margin ? bytes + margin : .max
    if freeBytes < needed { throw refusal(needed, freeBytes) }
  }

  /// Determined by the release of uname(2).
  private static let kernelReportsErrorsOfSync: Bool = {
    var system = utsname()
    guard uname(&system) == 0 else { return false }
    let release = withUnsafeBytes(of: &system.release) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return !numbers.lexicographicallyPrecedes([5, 8])
  }()
}
