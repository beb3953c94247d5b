import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// The disk space of a library, by purpose.
struct StorageTests {
  let scratch: LibraryScratch
  private let staging = "library/.staging/\(LibraryScratch.interrupted)"

  init() throws {
    scratch = try LibraryScratch([
      "a.jpg": String(repeating: "a", count: 90_000), "b.jpg": "two", "c.jpg": "three",
    ])
  }

  private func storage() throws -> LibraryStorage { try Library(path: scratch.path).storage() }

  /// Leaves files of every purpose.
  private func fillWithEverything() throws {
    let writer = try scratch.writer()
    try writer.change(.remove) { change in
      var edit = LibraryEdit()
      edit.removedPhotos = [2]
      try change.commit(edit, files: [])
    }
    let folder = scratch.folder
    try folder.write(String(repeating: "s", count: 30_000), to: staging + "/0")
    try folder.write("staged", to: staging + "/1")
    try folder.write("corrupt", to: "library/.rotten/\(LibraryScratch.interrupted)/3_c.jpg")
    try folder.write(String(repeating: "n", count: 50_000), to: "library/photos/2025/10/notes.txt")
    try folder.write("list", to: "library/Lists/shopping/today.txt")
    try folder.link("library/Lists/link", to: "shopping/today.txt")
  }

  @Test("Storage: the sum is that of du")
  func sumOfDu() throws {
    try fillWithEverything()
    try FileManager.default.linkItem(
      atPath: scratch.folder.path("library/photos/2025/10/notes.txt").string,
      toPath: scratch.folder.path("library/Lists/other name.txt").string)
    let library = try Library(path: scratch.path)
    let bytes = try library.storage().bytes
    let expected = try Programs.diskUsage(of: scratch.path)
    #expect(abs(bytes - expected) * 100 <= expected)
    #expect(bytes > 170_000)
  }

  @Test("Storage: each file counts for its purpose")
  func purposes() throws {
    try fillWithEverything()
    let storage = try storage()
    #expect(storage[.photos].files == 2)
    #expect(storage[.undo].files == 1)
    #expect(storage[.leftovers].files == 2)
    #expect(storage[.quarantined].files == 1)
    #expect(storage[.untracked].files == 3)
    #expect(storage[.database].files >= 2)
    #expect(storage[.leftovers].bytes >= 30_000)
    #expect(storage[.photos].bytes >= 90_000)
    #expect(storage.freeBytes > 0)
    #expect(storage.unreadable == [])
  }

  @Test("Storage: a new library has photos of no size")
  func emptyLibrary() throws {
    let other = try LibraryScratch()
    let storage = try Library(path: other.path).storage()
    for purpose in LibraryStorage.Purpose.allCases where purpose != .database {
      #expect(storage[purpose].files == 0)
    }
  }

  @Test("Storage: files of a change that was not committed are leftovers")
  func uncommittedFiles() throws {
    try scratch.folder.write("four", to: "library/photos/2001/02/d.jpg")
    try scratch.folder.write("another program's", to: "library/photos/2001/02/e.jpg")
    try scratch.folder.write("five", to: staging + "/1")
    try scratch.leaveMoves(["photos/2001/02/d.jpg": "four", "photos/2001/02/e.jpg": "five"])
    let storage = try storage()
    #expect(storage[.leftovers].files == 2)
    #expect(storage[.untracked].files == 1)
  }

  @Test("Storage: a staged file that a photo needs counts as a photo")
  func pendingRepair() throws {
    try scratch.folder.write("two", to: staging + "/0")
    try scratch.leaveMoves(["photos/2025/10/b.jpg": "two"], kind: .repair)
    #expect(try storage()[.photos].files == 4)
    #expect(try storage()[.leftovers].files == 0)
  }

  @Test("Storage: a folder of no change in .undo is a leftover")
  func obsoleteUndo() throws {
    try scratch.folder.write("old", to: "library/.undo/\(LibraryScratch.interrupted)/7")
    #expect(try storage()[.leftovers].files == 1)
    #expect(try storage()[.undo].files == 0)
  }

  @Test("Storage: a folder that cannot be listed is reported")
  func unreadableFolder() throws {
    try scratch.folder.write("list", to: "library/Lists/today.txt")
    let fault = ArmedFault(
      .error(.permissionDenied), of: [.list], persists: true, below: scratch.path.appending("Lists"))
    let storage = try storage()
    fault.disarm()
    #expect(storage.unreadable.map(\.item) == [scratch.path.appending("Lists").string])
    #expect(storage[.photos].files == 3)
  }
}
