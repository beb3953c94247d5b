import SystemPackage

/// What the kernel says of the disk that holds a file.
public enum BlockDevice {
  /// Whether the disk has heads that move, so that reading many files at a time is slower than one after the other;
  /// false where the kernel does not say, as for several disks in one. sysfs(5),
  /// https://docs.kernel.org/admin-guide/abi-stable.html#abi-sys-block-disk-queue-rotational
  public static func isRotational(_ identity: FileStatus.Identity) -> Bool {
    let device = identity.device
    // major and minor number: makedev(3)
    let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
    let minor = device & 0xFF | device >> 12 & ~0xFF
    // a partition's queue is that of its disk
    for queue in ["queue", "../queue"] {
      let path = FilePath("/sys/dev/block/\(major):\(minor)/\(queue)/rotational")
      guard let file = try? File.open(path, .readFollowingLinks), let answer = try? file.read(1, at: 0) else {
        continue
      }
      return answer == Array("1".utf8)
    }
    return false
  }
}
