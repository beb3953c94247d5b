import Foundation
import TestSupport
import Testing

@testable import FileSystem

/// Uses a folder with the layout of sysfs.
struct BlockDeviceTests {
  private let sysfs = ScratchFolder()

  init() throws {
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

  @Test("Block device: partitions belong to their disk")
  func partitions() {
    #expect(disks(8, 1) == ["sda"])
    #expect(disks(8, 2) == ["sda"])
  }

  @Test("Block device: a volume belongs to the disks below it")
  func volume() {
    #expect(disks(253, 0) == ["sdb"])
    #expect(disks(8, 16) == ["sdb"])
  }

  @Test("Block device: a loop device belongs to the disk of its file")
  func loopDevice() throws {
    let image = sysfs.path.appending("image")
    try sysfs.write("", to: "image")
    let device = try File.open(image, .read).status().identity.device
    let (major, minor) = (device >> 8 & 0xFFF, device & 0xFF)
    try sysfs.makeFolder("devices/loop0/loop")
    try sysfs.write("\(image)\n", to: "devices/loop0/loop/backing_file")
    try sysfs.link("dev/block/7:0", to: "../../devices/loop0")
    try sysfs.link("dev/block/\(major):\(minor)", to: "../../devices/sdb/sdb1")
    #expect(disks(7, 0) == ["sdb"])
    // its partitions belong to the same disk
    try sysfs.makeFolder("devices/loop0/loop0p1")
    try sysfs.write("1\n", to: "devices/loop0/loop0p1/partition")
    try sysfs.link("dev/block/7:1", to: "../../devices/loop0/loop0p1")
    #expect(disks(7, 1) == ["sdb"])
  }

  @Test("Block device: a file system without a device has no disks")
  func noDevice() { #expect(disks(0, 42) == []) }
}
