import FileSystem
import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Which staged files of interrupted operations a change uses.
struct LeftoverFilesTests {
  let scratch: LibraryScratch
  private let staging = "library/.staging/\(LibraryScratch.interrupted)"

  init() throws { scratch = try LibraryScratch(["a.jpg": "one"]) }

  private func content(_ text: String) -> FileContent {
    FileContent(md5: LibraryScratch.digest(text), size: text.utf8.count)
  }

  private func writer() throws -> LibraryWriter { try LibraryWriter(path: scratch.path, leftovers: .keep) }

  private func inode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: scratch.folder.path(name).string)
    return try #require(attributes[.systemFileNumber] as? Int)
  }

  /// Verifies the leftover files for a text, and returns whether a change can use one. Calls `meanwhile` between.
  private func reuses(_ text: String, meanwhile: () throws -> Void = {}) throws -> Bool {
    let writer = try writer()
    try writer.leftovers.verify([content(text)], ProgressCounter())
    try meanwhile()
    return try writer.change(.merge) { change in
      change.reuse(content(text), as: "0", modified: 0)
    }
  }

  @Test("Leftover files: before a change, their space counts as free")
  func spaceOfDryRun() throws {
    try scratch.folder.write(String(repeating: "x", count: 1000), to: staging + "/4")
    let library = try Library(path: scratch.path)
    let bytes = 9 << 20
    let free = bytes + bytes / 100 + 4 << 20
    let fault = ArmedFault(
      .fileSystem(type: 0, freeBytes: free - 1000), of: [.fileSystem], persists: true, below: scratch.path)
    defer { fault.disarm() }
    #expect(throws: LibraryError.self) { try library.requireSpace(bytes) }
    try library.requireSpaceBeforeChange(bytes)
    #expect(throws: LibraryError.self) { try library.requireSpaceBeforeChange(bytes + 1001) }
  }

  @Test("Leftover files: a change commits a leftover file with its content, under a new name and date")
  func reuse() throws {
    try scratch.folder.write("two", to: staging + "/4")
    let inode = try inode(staging + "/4")
    let writer = try writer()
    try writer.requireSpace(3, reusing: [content("two")], ProgressCounter())
    let photo = LibraryScratch.photo(
      2, try writer.newPaths(for: [("b.jpg", LibraryScratch.october)])[0], "two")
    try writer.change(.merge) { change in
      #expect(change.reuse(content("two"), as: "0", modified: photo.createdAt))
      var edit = LibraryEdit()
      edit.newPhotos = [photo]
      try change.commit(
        edit, files: [.init(name: "0", path: photo.path, md5: LibraryScratch.digest("two"))])
    }
    writer.leftovers.removeAll()
    #expect(try self.inode("library/" + photo.path) == inode)
    #expect(try writer.library.openPhoto(at: photo.path).status().modified == photo.createdAt)
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(try scratch.folder.tree("library/.staging").isEmpty)
  }

  @Test("Leftover files: a file with another content is not used", arguments: ["", "tw", "twO", "two "])
  func otherContent(text: String) throws {
    try scratch.folder.write(text, to: staging + "/0")
    #expect(try !reuses("two"))
  }

  @Test("Leftover files: a file that changes after it was verified is not used")
  func laterChange() throws {
    try scratch.folder.write("two", to: staging + "/0")
    let file = scratch.folder.path(staging + "/0").string
    let date = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate]
    #expect(
      try !reuses("two") {
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.write(contentsOf: Data("TWO".utf8))
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: file)
      })
  }

  @Test("Leftover files: a file that disappears after it was verified is not used")
  func laterRemoval() throws {
    try scratch.folder.write("two", to: staging + "/0")
    #expect(try !reuses("two") { try scratch.folder.remove(staging + "/0") })
  }

  @Test("Leftover files: each file is used once")
  func once() throws {
    try scratch.folder.write("two", to: staging + "/0")
    let writer = try writer()
    try writer.leftovers.verify([content("two"), content("two")], ProgressCounter())
    #expect(writer.leftovers.verifiedBytes(of: [content("two"), content("two"), content("three")]) == 3)
    try writer.change(.merge) { change in
      #expect(change.reuse(content("two"), as: "0", modified: 0))
      #expect(!change.reuse(content("two"), as: "1", modified: 0))
    }
  }

  @Test("Leftover files: links and untracked files are not used, and stay")
  func links() throws {
    try scratch.folder.write("two", to: "outside/file")
    try scratch.folder.makeFolder(staging + "/1")
    try scratch.folder.link(staging + "/0", to: "../../../outside/file")
    try scratch.folder.link(staging + "/2", to: "../../../outside")
    for name in ["/mine.jpg", "/1/.mine", "/journal/0"] {
      try scratch.folder.write("two", to: staging + name)
    }
    try scratch.folder.write("two", to: "library/.staging/0")
    let before = try scratch.folder.tree("library/.staging")
    #expect(try !reuses("two"))
    #expect(try scratch.folder.tree("library/.staging") == before)
    #expect(try scratch.folder.bytes("outside/file") == Array("two".utf8))
  }

  @Test("Leftover files: a file with a second name is not used")
  func hardLink() throws {
    try scratch.folder.write("two", to: "outside/file")
    try scratch.folder.makeFolder(staging)
    try FileManager.default.linkItem(
      atPath: scratch.folder.path("outside/file").string, toPath: scratch.folder.path(staging + "/0").string)
    #expect(try !reuses("two"))
    #expect(scratch.folder.has("outside/file"))
  }

  @Test("Leftover files: a file that the repair of a photo still needs is not used")
  func pendingRepair() throws {
    // the staged file cannot be moved to the place, which is a folder of another program
    try scratch.folder.remove("library/photos/2025/10/a.jpg")
    try scratch.folder.write("one", to: staging + "/0")
    try scratch.leaveMoves(["photos/2025/10/a.jpg": "one"], kind: .repair)
    let fault = ArmedFault(
      .error(.ioError), of: [.rename, .renameNoReplace, .link], persists: true, below: scratch.path)
    let writer = try writer()
    fault.disarm()
    #expect(fault.place != nil)
    try writer.leftovers.verify([content("one")], ProgressCounter())
    #expect(writer.leftovers.verifiedBytes(of: [content("one")]) == 0)
    writer.leftovers.removeAll()
    #expect(scratch.folder.has(staging + "/0"))
  }

  @Test("Leftover files: files that were moved to their places and not committed are moved back")
  func movedFiles() throws {
    try scratch.folder.write("two", to: "library/photos/2001/02/b.jpg")
    try scratch.folder.write("three", to: "library/photos/2001/02/c.jpg")
    try scratch.leaveMoves(["photos/2001/02/b.jpg": "two", "photos/2001/02/c.jpg": "not three"])
    let writer = try writer()
    #expect(try scratch.pendingMoves() == [])
    #expect(try scratch.folder.bytes(staging + "/0") == Array("two".utf8))
    #expect(try writer.library.untrackedFiles() == ["photos/2001/02/c.jpg"])
    try writer.leftovers.verify([content("two")], ProgressCounter())
    #expect(try writer.change(.merge) { $0.reuse(content("two"), as: "0", modified: 0) })
  }

  @Test("Leftover files: a writer removes them unless it keeps them")
  func removal() throws {
    try scratch.folder.write("two", to: staging + "/0")
    _ = try writer()
    #expect(scratch.folder.has(staging + "/0"))
    let left = try Library(path: scratch.path).stagedFiles()
    #expect(left.count == 1)
    #expect(left.bytes == 3)
    _ = try scratch.writer()
    #expect(!scratch.folder.has(staging))
    #expect(try Library(path: scratch.path).stagedFiles().count == 0)
  }

  @Test("Leftover files: those that are not needed are removed if space is short")
  func lackOfSpace() throws {
    try scratch.folder.write("two", to: staging + "/0")
    try scratch.folder.write("a large file", to: staging + "/1")
    let writer = try writer()
    let fault = ArmedFault(.fileSystem(type: 0, freeBytes: 5), persists: true, below: scratch.path)
    #expect(throws: LibraryError.self) {
      try writer.requireSpace(6, reusing: [content("two"), content("six")], ProgressCounter())
    }
    fault.disarm()
    #expect(scratch.folder.has(staging + "/0"))
    #expect(!scratch.folder.has(staging + "/1"))
  }

  @Test("Leftover files: a verified file needs no space")
  func reusedSpace() throws {
    let text = String(repeating: "x", count: 20_000)
    try scratch.folder.write(text, to: staging + "/0")
    let writer = try writer()
    let free = 5 << 20
    let fault = ArmedFault(.fileSystem(type: 0, freeBytes: free), persists: true, below: scratch.path)
    defer { fault.disarm() }
    let bytes = 1 << 20
    #expect(throws: LibraryError.self) { try writer.library.requireSpace(bytes) }
    #expect(throws: Never.self) {
      try writer.requireSpace(bytes, reusing: [content(text)], ProgressCounter())
    }
  }

  @Test("Leftover files: a failed change removes those that it used")
  func failedChange() throws {
    try scratch.folder.write("two", to: staging + "/0")
    let writer = try writer()
    try writer.leftovers.verify([content("two")], ProgressCounter())
    #expect(throws: CancellationError.self) {
      try writer.change(.merge) { change in
        #expect(change.reuse(content("two"), as: "0", modified: 0))
        throw CancellationError()
      }
    }
    writer.leftovers.removeAll()
    #expect(try scratch.folder.tree("library/.staging").isEmpty)
  }
}
