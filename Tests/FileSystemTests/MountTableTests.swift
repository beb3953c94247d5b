import Foundation
import SystemPackage
import Testing

@testable import FileSystem

struct MountTableTests {
  /// The format of the kernel: ID, parent, device, folder of the file system, mount point. proc(5)
  private func table(_ mounts: String...) -> MountTable {
    MountTable(
      mountinfo: mounts.enumerated().map { "\($0 + 1) 0 \($1) rw,relatime shared:1 - ext4 /dev/x rw\n" }
        .joined())
  }

  @Test("Mount table: disks are mount points")
  func disks() {
    let table = table("8:1 / /", "8:2 / /mnt/usb", #"8:3 / /mnt/my\040disk"#)
    #expect(table.isMountPoint(real: "/"))
    #expect(table.isMountPoint(real: "/mnt/usb"))
    #expect(table.isMountPoint(real: "/mnt/my disk"))
    #expect(!table.isMountPoint(real: "/mnt"))
    #expect(!table.isMountPoint(real: "/mnt/usb/family"))
  }

  @Test("Mount table: a folder that systemd mounts onto itself is not a mount point")
  func selfMount() {
    #expect(!table("8:1 / /", "8:1 /mnt/usb /mnt/usb").isMountPoint(real: "/mnt/usb"))
    #expect(!table("8:1 / /", "8:4 / /mnt", "8:4 /usb /mnt/usb").isMountPoint(real: "/mnt/usb"))
    #expect(
      !table("8:1 / /", "8:1 /mnt /mnt", "8:1 /mnt/usb /mnt/usb").isMountPoint(real: "/mnt/usb"))
    // the root is a subvolume
    #expect(!table("0:30 /@ /", "0:30 /@/mnt/usb /mnt/usb").isMountPoint(real: "/mnt/usb"))
  }

  @Test("Mount table: another folder of a disk is a mount point")
  func otherFolder() {
    #expect(table("8:1 / /", "8:1 /srv/backups /mnt/usb").isMountPoint(real: "/mnt/usb"))
    #expect(table("0:30 /@ /", "0:30 /@backups /mnt/usb").isMountPoint(real: "/mnt/usb"))
    // a disk that systemd has mounted onto itself is still mounted
    #expect(table("8:1 / /", "8:2 / /mnt/usb", "8:2 / /mnt/usb").isMountPoint(real: "/mnt/usb"))
  }

  @Test("Mount table: the mount point of a path is the innermost one above it")
  func mountPoint() throws {
    #expect(try MountTable().mountPoint(of: "/proc/sys") == "/proc")
    #expect(try MountTable().mountPoint(of: "/") == "/")
    #expect(try MountTable().mountPoint(of: "/nowhere/at/all") == nil)
    #expect(table("8:1 / /", "8:2 / /etc").mountPoint(of: "/etc/passwd") == "/etc")
  }

  @Test("Mount table: the table of this machine is read")
  func ownTable() throws {
    #expect(try MountTable().isMountPoint("/proc"))
    #expect(try !MountTable().isMountPoint("/proc/self"))
  }
}
