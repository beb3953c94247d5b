import Foundation
import Glibc
import Operations
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

struct FileLockTests {
  let folder = ScratchFolder()

  private func take(exclusive: Bool) throws -> FileLock {
    try FileLock("library.lock", in: Directory.open(folder.path), exclusive: exclusive)
  }

  private func isBusy(exclusive: Bool) throws -> Bool {
    do {
      _ = try take(exclusive: exclusive)
      return false
    } catch is FileLock.Busy {
      return true
    }
  }

  @Test("File lock: the error for a held lock has the process and host of its owner")
  func reportedOwner() throws {
    let lock = try take(exclusive: true)
    let host = try #require(ProcessInfo.processInfo.hostName.split(separator: ".").first)
    let busy = #expect(throws: FileLock.Busy.self) { _ = try take(exclusive: true) }
    #expect(busy?.path == folder.path("library.lock"))
    #expect(busy?.owner.hasPrefix("process \(getpid()) on \(host)") == true)
    let text = try #require(busy?.description)
    #expect(text.hasPrefix("\(folder.path) is in use by process \(getpid()) on \(host)"))
    #expect(busy?.remedy == .waitForLock)
    lock.release()
  }

  @Test("File lock: an unknown owner is reported as another process")
  func unknownOwner() {
    let busy = FileLock.Busy(path: "/photos/library.lock", owner: "")
    #expect(busy.description == "/photos is in use by another process")
  }

  @Test("File lock: a longer note of an earlier owner is replaced completely")
  func longerNote() throws {
    try folder.write(
      "process 99999999999 on a host with a long name, of an earlier run\n", to: "library.lock")
    let lock = try take(exclusive: true)
    let text = String(decoding: try folder.bytes("library.lock"), as: UTF8.self)
    #expect(text.hasPrefix("process \(getpid()) on "))
    #expect(text.split(separator: "\n").count == 1)
    #expect(!text.contains("earlier run"))
    lock.release()
  }

  @Test("File lock: shared and exclusive locks exclude each other")
  func exclusion() throws {
    do {
      let one = try take(exclusive: false)
      let two = try take(exclusive: false)
      #expect(try isBusy(exclusive: true))
      one.release()
      #expect(try isBusy(exclusive: true))
      two.release()
    }
    let lock = try take(exclusive: true)
    #expect(try isBusy(exclusive: false))
    lock.release()
    #expect(try !isBusy(exclusive: true))
  }

  @Test("File lock: the error for a shared lock does not have the last exclusive owner")
  func sharedOwner() throws {
    try take(exclusive: true).release()
    let lock = try take(exclusive: false)
    let busy = #expect(throws: FileLock.Busy.self) { _ = try take(exclusive: true) }
    #expect(busy?.owner == "")
    lock.release()
    try take(exclusive: true).release()
  }

  @Test("File lock: a shared lock does not write to the file")
  func sharedLock() throws {
    try folder.write("note", to: "library.lock")
    let lock = try take(exclusive: false)
    #expect(try folder.bytes("library.lock") == Array("note".utf8))
    lock.release()
  }

  @Test("File lock: the file stays after the release, with mode 0600")
  func releasedLock() throws {
    try take(exclusive: true).release()
    #expect(folder.has("library.lock"))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("library.lock").string)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("File lock: a waiter fails after its timeout")
  func timeout() throws {
    let lock = try take(exclusive: true)
    for wait in [Duration.zero, .milliseconds(1)] {
      #expect(throws: FileLock.Busy.self) {
        _ = try FileLock("library.lock", in: Directory.open(folder.path), waiting: wait)
      }
    }
    lock.release()
    try FileLock("library.lock", in: Directory.open(folder.path), waiting: .zero).release()
  }

  @Test("Folder lock: a waiter fails after its timeout, or when its callback throws")
  func folderLockWait() throws {
    struct Stop: Error {}
    let lock = try FolderLock(folder.path, exclusive: true)
    #expect(lock.isHeld)
    for wait in [Duration.zero, .milliseconds(150)] {
      var polls = 0
      let busy = #expect(throws: FileLock.Busy.self) {
        _ = try FolderLock(folder.path, exclusive: true, waiting: wait, whileWaiting: { polls += 1 })
      }
      #expect(busy?.path.removingLastComponent() == folder.path)
      #expect((polls > 0) == (wait > .zero))
    }
    #expect(throws: Stop.self) {
      _ = try FolderLock(
        folder.path, exclusive: false, waiting: .seconds(600), whileWaiting: { throw Stop() })
    }
    withExtendedLifetime(lock) {}
  }

  @Test("Folder lock: a waiter gets the lock when it is free")
  func folderLockHandover() async throws {
    let path = folder.path
    var lock: FolderLock? = try FolderLock(path, exclusive: true)
    let waiter = Task.detached { try FolderLock(path, exclusive: true, waiting: .seconds(60)).isHeld }
    _ = lock
    lock = nil
    #expect(try await waiter.value)
  }

  private var folderLock: FilePath { folder.path(".smilepile-\(geteuid()).lock") }

  @Test("Folder lock: its file can be opened by its owner only, and is removed with the lock")
  func folderLockFile() throws {
    var lock: FolderLock? = try FolderLock(folder.path, exclusive: true)
    let attributes = try FileManager.default.attributesOfItem(atPath: folderLock.string)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    _ = lock
    lock = nil
    #expect(try Directory.open(folder.path).names() == [])
  }

  @Test("Folder lock: the last of two shared owners removes its file")
  func folderLockShared() throws {
    var locks: [FolderLock] = try (1...2).map { _ in try FolderLock(folder.path, exclusive: false) }
    locks.removeFirst()
    #expect(throws: FileLock.Busy.self) { _ = try FolderLock(folder.path, exclusive: true) }
    locks.removeFirst()
    #expect(try Directory.open(folder.path).names() == [])
  }

  @Test("Folder lock: the file of a killed owner is removed, and that of a living owner is not")
  func folderLockLeftover() throws {
    try folder.write("", to: folderLock.lastComponent?.string ?? "")
    FolderLock.removeLeftover(in: folder.path)
    #expect(try Directory.open(folder.path).names() == [])
    let lock = try FolderLock(folder.path, exclusive: false)
    FolderLock.removeLeftover(in: folder.path)
    #expect(try Directory.open(folder.path).names().count == 1)
    withExtendedLifetime(lock) {}
  }

  @Test("Folder lock: an owner without a free descriptor gets an error and no lock")
  func folderLockWithoutDescriptor() throws {
    let fault = ArmedFault(.error(.tooManyOpenFiles), of: [.create], below: folder.path)
    defer { fault.disarm() }
    let error = #expect(throws: FileError.self) { _ = try FolderLock(folder.path, exclusive: true) }
    #expect(error?.errno == .tooManyOpenFiles)
  }

  @Test(
    "Folder lock: a full disk and a read-only folder do not prevent the lock, and no lock is held",
    arguments: [
      Errno.noSpace, .readOnlyFileSystem,
    ])
  func folderLockWithoutFile(error: Errno) throws {
    let fault = ArmedFault(.error(error), of: [.create], below: folder.path)
    defer { fault.disarm() }
    let lock = try FolderLock(folder.path, exclusive: true)
    #expect(!lock.isHeld)
  }

  @Test("Folder lock: a lock on the folder itself, which any reader can take, does not matter")
  func folderLockOfReader() throws {
    let reader = try File.open(folder.path, .readFollowingLinks)
    #expect(try reader.lock(exclusive: true))
    #expect(try FolderLock(folder.path, exclusive: true).isHeld)
    reader.unlock()
  }

  @Test("Folder lock: a file of another user in its place is named", .enabled(if: geteuid() == 0))
  func folderLockOfOther() throws {
    try folder.write([], to: folderLock.lastComponent?.string ?? "")
    #expect(chown(folderLock.string, 65534, 65534) == 0)
    let error = #expect(throws: OwnershipError.self) { _ = try FolderLock(folder.path, exclusive: true) }
    #expect(error?.control == .otherLock(65534))
  }

  @Test("Folder lock: a lock file with a second name is refused and not changed")
  func folderLockWithTwoNames() throws {
    let other = folder.path("other")
    try folder.write("photo", to: "other")
    try FileManager.default.linkItem(atPath: other.string, toPath: folderLock.string)
    let error = #expect(throws: OwnershipError.self) { _ = try FolderLock(folder.path, exclusive: true) }
    #expect(error?.control == .names(2))
    #expect(try String(contentsOfFile: other.string, encoding: .utf8) == "photo")
  }

  @Test("File lock: a lock file with a second name is refused and not changed")
  func twoNames() throws {
    let other = folder.path("other")
    try folder.write("photo", to: "other")
    try FileManager.default.linkItem(
      atPath: other.string, toPath: folder.path.appending("library.lock").string)
    #expect(throws: OwnershipError.self) { try take(exclusive: true).release() }
    #expect(try String(contentsOfFile: other.string, encoding: .utf8) == "photo")
  }

  private final class Owners: Sendable {
    let count = Mutex(0)
  }

  @Test("Folder lock: of many owners in turn, each is alone")
  func folderLockExclusion() async throws {
    let path = folder.path
    let owners = Owners()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...4 {
        group.addTask {
          for _ in 1...20 {
            let lock = try FolderLock(path, exclusive: true, waiting: .seconds(60))
            #expect(
              owners.count.withLock {
                $0 += 1; return $0
              } == 1)
            owners.count.withLock { $0 -= 1 }
            withExtendedLifetime(lock) {}
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("File lock: a waiter gets the lock after its release")
  func handover() async throws {
    let lock = try take(exclusive: true)
    let path = folder.path
    let waiter = Task.detached {
      try FileLock("library.lock", in: Directory.open(path), waiting: .seconds(60)).release()
    }
    lock.release()
    try await waiter.value
  }

  /// The kernel releases the lock. The note of the killed process stays in the file.
  @Test("File lock: the lock of a killed process is free")
  func killedOwner() throws {
    let path = folder.path("library.lock").string
    let note = "echo 'process 1 on moon' > '\(path)'"
    let owner = try RunningProgram("exec 9<> '\(path)'; flock 9; \(note); echo locked; exec cat")
    #expect(owner.text() == "locked\n")
    let busy = #expect(throws: FileLock.Busy.self) { _ = try take(exclusive: true) }
    #expect(busy?.owner == "process 1 on moon")
    owner.end()
    try take(exclusive: true).release()
  }

  /// The parent process may be waiting for the end of this process.
  @Test("File lock: a lock of the parent process fails without waiting")
  func ancestor() throws {
    let path = folder.path("library.lock").string
    let lock = try take(exclusive: true)
    var note = String(decoding: try folder.bytes("library.lock"), as: UTF8.self)
    #expect(try #require(busy(waiting: .milliseconds(10))).isOwnerAncestor == false)
    note = note.replacingOccurrences(of: "process \(getpid()) ", with: "process \(getppid()) ")
    try note.write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try #require(busy(waiting: .seconds(3600))).isOwnerAncestor)
    lock.release()
  }

  private func busy(waiting: Duration) -> FileLock.Busy? {
    #expect(throws: FileLock.Busy.self) {
      _ = try FileLock("library.lock", in: Directory.open(folder.path), waiting: waiting)
    }
  }

  @Test("File lock: a symbolic link is refused, and its target is unchanged")
  func symbolicLink() throws {
    try folder.write("precious", to: "precious")
    try folder.link("library.lock", to: "precious")
    #expect(throws: FileError("open", folder.path("library.lock"), .tooManySymbolicLinkLevels)) {
      _ = try take(exclusive: true)
    }
    #expect(try folder.bytes("precious") == Array("precious".utf8))
  }
}
