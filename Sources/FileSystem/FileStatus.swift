import Glibc

/// What the kernel knows of a file: stat(2).
package struct FileStatus: Sendable {
  /// What kind of thing a name stands for.
  package enum Kind: Sendable {
    /// A file with bytes.
    case file
    /// A folder.
    case directory
    /// A symbolic link, not followed.
    case symbolicLink
    /// A device, FIFO or socket.
    case other
  }

  /// What it is.
  package let kind: Kind
  /// Length in bytes.
  package let size: Int
  /// The date of the last change, in milliseconds since 1970.
  package let modified: Int64
  /// The user id of who owns it.
  package let owner: UInt32
  /// Device and inode: equal for two names of one file, and for nothing else at one time.
  package let identity: Identity
  /// What is another one once the file was changed in any way, its names and permissions among them.
  package let version: Version

  /// What tells one file from every other on this machine.
  package struct Identity: Sendable, Hashable {
    /// The file system's number.
    package let device: UInt64
    /// The file's number in it.
    package let inode: UInt64
  }

  /// A file as it was at one moment. The inode is no part of it: FAT, exFAT and many a FUSE file system give a file
  /// another number whenever the kernel has forgotten it. Another file in its place has another time of change, which FAT
  /// and exFAT do not keep; there its date and its size have to tell.
  package struct Version: Sendable, Hashable {
    private let size: Int
    private let times: SIMD4<Int>

    fileprivate init(_ status: stat) {
      size = Int(status.st_size)
      // to the nanosecond; the second one is set by the kernel alone, whatever a program says of the first
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
    modified = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
    owner = status.st_uid
    identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    version = Version(status)
  }
}

/// What the kernel knows of a file system: statfs(2).
package struct FileSystemStatus: Sendable, Equatable {
  /// Bytes that an ordinary user can still write.
  package let freeBytes: Int
  /// The name of the network protocol behind it, nil for a local file system. SQLite's write-ahead log
  /// and flock(2) do not hold across machines.
  package let networkProtocol: String?
  /// Whether `Directory.syncFileSystem` reports a page that was lost: Linux 5.8, commit 735e4ae5ba28, and a file system
  /// on a disk that marks such pages.
  package let reportsErrorsOfSync: Bool
  /// Whether it is gone when the machine stops: tmpfs(5), or its kin.
  package let isInMemory: Bool

  init(_ raw: (type: Int, freeBytes: Int)) {
    freeBytes = raw.freeBytes
    isInMemory = [0x0102_1994, 0x8584_58F6].contains(UInt32(truncatingIfNeeded: raw.type))
    // ext2 to ext4, XFS, btrfs
    let types: [UInt32] = [0xEF53, 0x5846_5342, 0x9123_683E]
    reportsErrorsOfSync =
      types.contains(UInt32(truncatingIfNeeded: raw.type)) && Self.kernelReportsErrorsOfSync
    // statfs(2), "f_type"
    networkProtocol =
      switch UInt32(truncatingIfNeeded: raw.type) {
      case 0x6969: "NFS"
      case 0xFF53_4D42: "CIFS"
      case 0xFE53_4D42: "SMB2"
      case 0x517B: "SMB"
      case 0x0102_1997: "9P"
      case 0x5346_414F: "AFS"
      case 0x00C3_6400: "Ceph"
      default: nil
      }
  }

  /// Refuses what does not fit.
  ///
  /// - Parameters:
  ///   - margin: what is needed on top of `bytes`.
  ///   - refusal: the error, by the bytes that are needed and those that are free.
  package func requireSpace<Refusal: Error>(
    _ bytes: Int, margin: Int, orThrow refusal: (_ needed: Int, _ free: Int) -> Refusal
  ) throws(Refusal) {
    let needed = bytes < .max - margin ? bytes + margin : .max
    if freeBytes < needed { throw refusal(needed, freeBytes) }
  }

  /// By the release that uname(2) tells.
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
