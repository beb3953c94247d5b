import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

/// Which files and folders this program obeys. `scripts/security` attacks the same rule as other users.
struct OwnershipTests {
  @Test("Home folder: that of the account, without the variable")
  func home() throws {
    let account = try #require(UserAccount(id: geteuid()))
    #expect(UserAccount.home(["HOME": "/somewhere"]) == "/somewhere")
    #expect(UserAccount.home(["HOME": ""]) == account.home)
    #expect(UserAccount.home([:]) == account.home)
  }

  private let scratch = ScratchFolder()
  /// A folder in a folder, mode 0700.
  private let folder: FilePath

  init() throws {
    folder = try scratch.makeFolder("above/used")
    for path in [scratch.path, folder, folder.folder] { chmod(path.string, 0o700) }
  }

  private func control(_ body: () throws -> Void) throws -> OwnershipError.Control? {
    do {
      try body()
      return nil
    } catch let error as OwnershipError {
      return error.control
    }
  }

  private func controlOfFolder() throws -> OwnershipError.Control? {
    try control { try Ownership.require(Directory.open(folder)) }
  }

  @Test("Ownership: a folder that only this user can write to passes")
  func own() throws {
    #expect(try controlOfFolder() == nil)
  }

  @Test("Ownership: a folder that others can write to is refused", arguments: [0o770, 0o707, 0o777, 0o1777])
  func writable(mode: Int) throws {
    chmod(folder.string, mode_t(mode))
    #expect(try controlOfFolder() == .writable)
  }

  @Test("Ownership: a folder below one that others can write to is refused", arguments: [0o770, 0o702])
  func writableAbove(mode: Int) throws {
    chmod(folder.folder.string, mode_t(mode))
    #expect(try controlOfFolder() == .writable)
  }

  @Test("Ownership: a folder below a sticky one passes")
  func sticky() throws {
    chmod(folder.folder.string, 0o1777)
    #expect(try controlOfFolder() == nil)
  }

  @Test("Ownership: a link does not hide the folders above its target")
  func link() throws {
    chmod(folder.folder.string, 0o777)
    let link = scratch.path.appending("link")
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: folder.string)
    #expect(try control { try Ownership.require(Directory.open(link)) } == .writable)
  }

  @Test("Ownership: a file that others can write to is refused")
  func file() throws {
    let path = try scratch.write([1], to: "file")
    chmod(path.string, 0o620)
    #expect(try control { try Ownership.require(File.open(path, .read)) } == .writable)
  }

  @Test(
    "Ownership: an ACL that lets another user write is refused",
    .enabled(if: access("/usr/bin/setfacl", X_OK) == 0))
  func accessControlList() throws {
    let process = try Process.run(
      URL(fileURLWithPath: "/usr/bin/setfacl"), arguments: ["-m", "u:65534:rwx", folder.string])
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    #expect(try controlOfFolder() == .writable)
  }

  @Test("Ownership: a folder of another user is refused", .enabled(if: geteuid() == 0))
  func otherOwner() throws {
    #expect(chown(folder.string, 65534, 65534) == 0)
    #expect(try controlOfFolder() == .owner(65534))
  }

  @Test("Ownership: a folder below one of another user is refused", .enabled(if: geteuid() == 0))
  func otherOwnerAbove() throws {
    #expect(chown(folder.folder.string, 65534, 65534) == 0)
    #expect(try controlOfFolder() == .ownerAbove(65534))
  }

  @Test(
    "Ownership: a new file may be made in a sticky folder, and not in another folder that others can write to"
  )
  func parent() throws {
    chmod(folder.string, 0o1777)
    #expect(try control { try Ownership.require(Directory.open(folder), isParent: true) } == nil)
    chmod(folder.string, 0o777)
    #expect(try control { try Ownership.require(Directory.open(folder), isParent: true) } == .writable)
  }

  @Test("Ownership: a pipe passes")
  func pipe() throws {
    let path = scratch.path.appending("pipe")
    #expect(mkfifo(path.string, 0o666) == 0)
    #expect(try control { try Ownership.require(File.open(path, .read)) } == nil)
  }

  @Test("Ownership: the message names the folder and one remedy")
  func message() throws {
    chmod(folder.string, 0o777)
    let error = #expect(throws: OwnershipError.self) { try Ownership.require(Directory.open(folder)) }
    let real = try #require(folder.realPath)
    #expect(error?.description == "other users can write to \(real); run chmod go-w \(real)")
  }
}
