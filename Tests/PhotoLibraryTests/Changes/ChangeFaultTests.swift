import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Failures at the points of a change where what to do about them is not obvious. `scripts/faults` tries all points.
struct ChangeFaultTests {
  let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch(["a.jpg": "one"]) }

  private func arm(
    _ effect: Fault.Effect, at number: Int = 1, of calls: Set<SystemCall>, persists: Bool = false,
    below name: FilePath = ""
  ) -> ArmedFault {
    let folder = name.isEmpty ? scratch.path : scratch.path.pushing(name)
    return ArmedFault(effect, at: number, of: calls, persists: persists, below: folder)
  }

  @Test("Change: it succeeds if only the removal of the staging folder fails")
  func failedCleanup() throws {
    let fault = arm(.error(.ioError), of: [.unlink], persists: true, below: ".staging")
    try scratch.commit(["b.jpg": "two"], firstId: 2)
    fault.disarm()
    #expect(fault.place != nil)
    #expect(try scratch.contents().photos.count == 2)
    _ = try scratch.writer()
    #expect(try scratch.folder.tree("library/.staging").isEmpty)
  }

  @Test("Recovery: it succeeds on a full disk")
  func recoveryOnFullDisk() throws {
    let lock = try FileLock("readers.lock", in: Directory.open(scratch.path), exclusive: false)
    try scratch.commit(["b.jpg": "two"], as: .replace, firstId: 2)
    lock.release()
    try scratch.folder.write("half", to: "library/.staging/\(LibraryScratch.interrupted)/0")
    let full = arm(
      .error(.noSpace), of: [.openUnnamed, .write, .makeDirectory, .rename, .renameNoReplace, .link],
      persists: true)
    _ = try scratch.writer()
    full.disarm()
    #expect(full.place != nil)
    #expect(try scratch.folder.tree("library/.staging").isEmpty)
    #expect(try scratch.rowsWithoutFile().isEmpty)
    // what waited for room is done when there is some
    _ = try scratch.writer()
    #expect(try scratch.folder.tree("library/.undo").values.contains(.file(Data("one".utf8))))
  }

  @Test("Recovery: an empty file that reserves the name of a staged file is removed")
  func reservedName() throws {
    try scratch.folder.write("two", to: "library/.staging/\(LibraryScratch.interrupted)/0")
    try scratch.folder.write("", to: "library/photos/2001/02/b.jpg")
    try scratch.leaveMoves(["photos/2001/02/b.jpg": "two"])
    let library = try scratch.writer().library
    #expect(try library.untrackedFiles() == [])
    #expect(!scratch.folder.has("library/photos/2001"))
  }

  @Test("Recovery: moves are deleted after the removal of their files is durable")
  func durableRemoval() throws {
    try scratch.folder.write("two", to: "library/photos/2025/10/b.jpg")
    try scratch.leaveMoves(["photos/2025/10/b.jpg": "two"])
    let fault = arm(
      .then { [scratch] in
        #expect(!scratch.folder.has("library/photos/2025/10/b.jpg"))
        #expect((try? scratch.pendingMoves().count) == 1)
      }, of: [.sync], below: "photos/2025/10")
    _ = try scratch.writer()
    fault.disarm()
    #expect(fault.count == 1)
    #expect(try scratch.pendingMoves() == [])
  }

  @Test("Create: a library that cannot be flushed is removed")
  func unflushedLibrary() throws {
    let path = scratch.folder.path("new")
    // after those of the database's file and of the folder before the renaming
    let fault = ArmedFault(.error(.ioError), at: 3, of: [.sync], below: path)
    #expect(throws: FileError("flush to disk", path, .ioError)) { try Library.create(at: path) }
    fault.disarm()
    #expect(!scratch.folder.has("new/library.sqlite"))
    try Library.create(at: path)
  }

  @Test(
    "Database: an unreadable file is not reported as corrupt",
    arguments: [FilePath("library.sqlite"), "library.sqlite-wal"])
  func unreadableDatabase(name: FilePath) throws {
    let library = try Library(path: scratch.path)
    let malformed = DatabaseError(resultCode: .SQLITE_CORRUPT, message: "malformed")
    let place = scratch.path.appending(name.components)
    let reason = "malformed"
    #expect(throws: LibraryError.corruptDatabase(scratch.path, reason: reason)) {
      try library.translating { throw malformed }
    }
    let fault = ArmedFault(.error(.ioError), of: [.read], persists: true, below: place)
    defer { fault.disarm() }
    #expect(throws: FileError("read", place, .ioError)) { try library.translating { throw malformed } }
  }

  @Test("Database: a full disk is reported as lack of space")
  func fullDisk() throws {
    let file = try DatabaseFile.shared("library.sqlite", in: Directory.open(scratch.path))
    try scratch.folder.remove("library/library.sqlite")
    try scratch.folder.makeFolder("library/library.sqlite")
    let fault = ArmedFault(.fileSystem(type: 0, freeBytes: 5), below: scratch.path)
    defer { fault.disarm() }
    #expect(throws: LibraryError.notEnoughSpace(scratch.path, needed: 64 << 10, free: 5)) {
      _ = try Library.openDatabase(Configuration(), file, in: Library.openFolder(scratch.path))
    }
  }
}
