import Foundation
import TestSupport
import Testing

@testable import FileSystem

/// Over a folder that is laid out as sysfs is.
struct BlockDeviceTests {
  private let sysfs: TemporaryFolder

  init() throws {
    sysfs = try TemporaryFolder()
    for disk in ["sda", "sdb"] {
      try sysfs.makeFolder("devices/\(disk)/\(disk)1")
      try sysfs.makeFolder("devices/\(disk)/\(disk)1/slaves")
      try sysfs.write("1\n", to: "devices/\(disk)/\(disk)1/partition")
    }
    try sysfs.makeFolder("devices/sda/sda2")
    try sysfs.write("2\n", to: "devices/sda/sda2/partition")
    try sysfs.makeFolder("devices/dm-0/slaves")
    try sysfs.link("devices/dm-0/slaves/sdb1", to: "../../sdb/sdb1")
    try sysfs.makeFolder("dev/block")
    for (number, place) in [
      "8:1": "sda/sda1", "8:2": "sda/sda2", "8:17": "sdb/sdb1", "8:16": "sdb", "253:0": "dm-0",
    ] {
      try sysfs.link("dev/block/\(number)", to: "../../devices/\(place)")
    }
  }

  private func disks(_ major: UInt64, _ minor: UInt64) -> Set<String> {
    let identity = FileStatus.Identity(device: major << 8 | minor, inode: 1)
    return Set(BlockDevice.disks(of: identity, sysfs: sysfs.path).map { String($0.suffix(3)) })
  }

  @Test func partitionsOfOneDiskShareIt() {
    #expect(disks(8, 1) == ["sda"])
    #expect(disks(8, 2) == ["sda"])
  }

  @Test func volumeLiesOnTheDisksBelowIt() {
    #expect(disks(253, 0) == ["sdb"])
    #expect(disks(8, 16) == ["sdb"])
  }

  /// What a loop device shows is as safe as the disk that its file lies on.
  @Test func loopDeviceLiesOnTheDiskOfItsFile() throws {
    let image = sysfs.path.appending("image")
    try sysfs.write("", to: "image")
    let device = try File.open(image, .read).status().identity.device
    let (major, minor) = (device >> 8 & 0xFFF, device & 0xFF)
    try sysfs.makeFolder("devices/loop0/loop")
    try sysfs.write("\(image)\n", to: "devices/loop0/loop/backing_file")
    try sysfs.link("dev/block/7:0", to: "../../devices/loop0")
    try sysfs.link("dev/block/\(major):\(minor)", to: "../../devices/sdb/sdb1")
    #expect(disks(7, 0) == ["sdb"])
    // and so do its partitions
    try sysfs.makeFolder("devices/loop0/loop0p1")
    try sysfs.write("1\n", to: "devices/loop0/loop0p1/partition")
    try sysfs.link("dev/block/7:1", to: "../../devices/loop0/loop0p1")
    #expect(disks(7, 1) == ["sdb"])
  }

  @Test func nobodyKnowsOfAFileSystemWithoutADevice() { #expect(disks(0, 42) == []) }
}
