import Foundation
import SystemPackage
import Testing

@testable import FileSystem

struct MountTableTests {
  /// As the kernel has it: number, parent, device, folder of the file system, place. proc(5)
  private func table(_ mounts: String...) -> MountTable {
    MountTable(
      mountinfo: mounts.enumerated().map { "\($0 + 1) 0 \($1) rw,relatime shared:1 - ext4 /dev/x rw\n" }
        .joined())
  }

  @Test func disksAreMounted() {
    let table = table("8:1 / /", "8:2 / /mnt/usb", #"8:3 / /mnt/my\040disk"#)
    #expect(table.isMountPoint(real: "/"))
    #expect(table.isMountPoint(real: "/mnt/usb"))
    #expect(table.isMountPoint(real: "/mnt/my disk"))
    #expect(!table.isMountPoint(real: "/mnt"))
    #expect(!table.isMountPoint(real: "/mnt/usb/family"))
  }

  /// As systemd does it for `ReadWritePaths=`: the disk is not there for that.
  @Test func whatIsMountedOntoItselfIsNoDisk() {
    #expect(!table("8:1 / /", "8:1 /mnt/usb /mnt/usb").isMountPoint(real: "/mnt/usb"))
    #expect(!table("8:1 / /", "8:4 / /mnt", "8:4 /usb /mnt/usb").isMountPoint(real: "/mnt/usb"))
    #expect(
      !table("8:1 / /", "8:1 /mnt /mnt", "8:1 /mnt/usb /mnt/usb").isMountPoint(real: "/mnt/usb"))
    // a root that is a subvolume
    #expect(!table("0:30 /@ /", "0:30 /@/mnt/usb /mnt/usb").isMountPoint(real: "/mnt/usb"))
  }

  @Test func otherFoldersOfADiskAreMounted() {
    #expect(table("8:1 / /", "8:1 /srv/backups /mnt/usb").isMountPoint(real: "/mnt/usb"))
    #expect(table("0:30 /@ /", "0:30 /@backups /mnt/usb").isMountPoint(real: "/mnt/usb"))
    // a disk that systemd has mounted onto itself is still there
    #expect(table("8:1 / /", "8:2 / /mnt/usb", "8:2 / /mnt/usb").isMountPoint(real: "/mnt/usb"))
  }

  @Test func theMachinesOwnTableIsRead() throws {
    #expect(try MountTable().isMountPoint("/proc"))
    #expect(try !MountTable().isMountPoint("/proc/self"))
  }
}
