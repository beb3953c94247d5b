import SystemPackage

/// Properties of the disk of a file, from the kernel.
package enum BlockDevice {
  /// Returns true if the disk is rotational, so that reading many files at a time is slower than reading one after the
  /// other; false if that is unknown. sysfs(5),
  /// https://docs.kernel.org/admin-guide/abi-stable.html#abi-sys-block-disk-queue-rotational
  package static func isRotational(_ identity: FileStatus.Identity) -> Bool {
    // the disk of a virtual machine claims to be rotational, whatever the host's disk is
    guard let place = link(to: identity, in: "/sys").realPath, !place.string.contains("/virtio") else {
      return false
    }
    // a partition uses the queue of its disk
    for queue in [place, place.removingLastComponent()] {
      guard let file = try? File.open(queue.appending("queue/rotational"), .readFollowingLinks),
        let answer = try? file.read(1, at: 0)
      else { continue }
      return answer == Array("1".utf8)
    }
    return false
  }

  /// Returns the disks of a file, by their paths in sysfs: the disk of its partition, all disks of a volume, or the
  /// disks of the file behind a loop device. Returns none if they are unknown, such as for file systems without a block
  /// device.
  package static func disks(of identity: FileStatus.Identity, sysfs: FilePath = "/sys") -> Set<String> {
    disks(below: link(to: identity, in: sysfs).realPath, sysfs, depth: 0)
  }

  private static func disks(below place: FilePath?, _ sysfs: FilePath, depth: Int) -> Set<String> {
    // a bound for volumes that consist of volumes
    guard depth < 16, let place, let folder = try? Directory.open(place) else { return [] }
    if let image = loopFile(of: place) {
      return disks(below: link(to: image, in: sysfs).realPath, sysfs, depth: depth + 1)
    }
    let slaves = place.appending("slaves")
    if let names = try? Directory.open(slaves).names(), !names.isEmpty {
      return names.reduce(into: []) { disks, name in
        disks.formUnion(Self.disks(below: name.inFolder(slaves).realPath, sysfs, depth: depth + 1))
      }
    }
    let isPartition = ((try? folder.status(of: "partition")) ?? nil) != nil
    return isPartition ? disks(below: place.removingLastComponent(), sysfs, depth: depth + 1) : [place.string]
  }

  /// Returns the backing file of a loop device. loop(4).
  private static func loopFile(of place: FilePath) -> FileStatus.Identity? {
    guard
      let name = try? File.open(place.appending("loop/backing_file"), .readFollowingLinks).read(4096, at: 0)
    else { return nil }
    let path = FilePath(String(decoding: name.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    // the file may not be readable, so its folder is asked
    guard path.isAbsolute, let last = path.lastComponent, let folder = try? Directory.open(path.folder) else {
      return nil
    }
    return try? folder.status(of: FilePath(last.string))?.identity
  }

  /// Returns the link to the device of a file.
  private static func link(to identity: FileStatus.Identity, in sysfs: FilePath) -> FilePath {
    sysfs.appending("dev/block/\(major(identity.device)):\(minor(identity.device))")
  }

  // makedev(3): Swift does not import the macros

  private static func major(_ device: UInt64) -> UInt64 { device >> 8 & 0xFFF | device >> 32 & ~0xFFF }

  private static func minor(_ device: UInt64) -> UInt64 { device & 0xFF | device >> 12 & ~0xFF }
}
