import FileSystem
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// A change that fails, at whatever point, leaves the library as it was.
struct FailedChangeTests {
  let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch(["a.jpg": "one"]) }

  /// Makes a change of three new photos, broken by `breaking`, and expects that nothing comes of it.
  @discardableResult
  private func expectNothing(
    kind: Change.Kind = .merge,
    breaking: (LibraryWriter, inout LibraryEdit, inout [Change.StagedFile]) throws -> Void
  ) throws -> (any Error)? {
    let contents = try scratch.contents()
    let writer = try scratch.writer()
    var files: [String: ScratchFolder.Item] = [:]
    let error = #expect(throws: (any Error).self) {
      try writer.change(kind) { change in
        let new: KeyValuePairs = ["b.jpg": "two", "c.jpg": "three", "d.jpg": "four"]
        var (photos, staged) = try LibraryScratch.stage(new, in: change, of: writer, firstId: 2)
        var edit = LibraryEdit()
        edit.newPhotos = photos
        // one in a folder of its own, which is made and has to go again
        edit.newPhotos[2].path = "photos/1999/12/d.jpg"
        staged[2] = .init(name: "2", path: "photos/1999/12/d.jpg", md5: staged[2].md5)
        photos = []
        try breaking(writer, &edit, &staged)
        files = try scratch.files().filter { !$0.key.hasPrefix(".staging") }
        try change.commit(edit, files: staged)
      }
    }
    #expect(try scratch.contents() == contents)
    #expect(try scratch.files() == files)
    #expect(try scratch.rowsWithoutFile().isEmpty)
    // and the writer is as good as new
    try scratch.commit(["e.jpg": "five"], firstId: 9, with: writer)
    #expect(try scratch.contents().photos.count == 2)
    return error
  }

  @Test("Failed change: a taken ID")
  func takenID() throws {
    let error = try expectNothing { _, edit, _ in edit.newPhotos[1].id = 1 }
    #expect(
      "\(try #require(error))".hasPrefix("cannot use \(scratch.path)/library.sqlite: UNIQUE constraint"))
  }

  @Test("Failed change: an ID that is used twice")
  func duplicateID() throws {
    try expectNothing { _, edit, _ in edit.newPhotos[2].id = edit.newPhotos[1].id }
  }

  @Test("Failed change: a category that does not exist")
  func missingCategory() throws {
    try expectNothing { _, edit, _ in edit.newPhotos[2].categoryId = 77 }
  }

  @Test("Failed change: the name of another category")
  func takenName() throws {
    try expectNothing { _, edit, _ in edit.newCategories = [LibraryScratch.category(2, "family")] }
  }

  @Test("Failed change: an update of a row that does not exist")
  func missingRow() throws {
    try expectNothing { _, edit, _ in edit.changedPhotos = [LibraryScratch.photo(99, "photos/x", "x")] }
  }

  @Test("Failed change: a row that violates a constraint")
  func invalidRow() throws {
    try expectNothing { _, edit, _ in edit.newPhotos[2].md5 = nil }
  }

  @Test("Failed change: a missing staged file")
  func missingFile() throws {
    let error = try expectNothing { _, _, files in
      files[1] = .init(name: "none", path: files[1].path, md5: files[1].md5)
    }
    #expect((error as? FileError)?.errno == .noSuchFileOrDirectory)
  }

  @Test("Failed change: an untracked file at the place of a photo stays")
  func takenPlace() throws {
    let error = try expectNothing { _, _, files in
      try scratch.folder.write("untracked", to: "library/" + files[1].path)
    }
    #expect((error as? FileError)?.errno == .fileExists)
    #expect(try scratch.photoTexts()["photos/2025/10/c.jpg"] == "untracked")
  }

  @Test("Failed change: an untracked file at the path of a folder stays")
  func fileAsFolder() throws {
    let error = try expectNothing { _, _, _ in
      try scratch.folder.write("untracked", to: "library/photos/1999")
    }
    #expect((error as? FileError)?.errno == .notDirectory)
    #expect(try scratch.photoTexts()["photos/1999"] == "untracked")
  }

  @Test("Failed change: a symbolic link at the path of a folder is not followed")
  func linkAsFolder() throws {
    try scratch.folder.makeFolder("outside")
    try expectNothing { _, _, _ in
      try scratch.folder.link("library/photos/1999", to: "../../outside")
    }
    #expect(try scratch.folder.tree("outside").isEmpty)
  }

  @Test(
    "Failed change: a place outside of the library",
    arguments: ["../outside/d.jpg", "/tmp/d.jpg", "photos/../../outside/d.jpg", "d.jpg/", ""])
  func placeOutside(path: String) throws {
    try scratch.folder.makeFolder("outside")
    try expectNothing { _, edit, files in
      edit.newPhotos[2].path = path
      files[2] = .init(name: "2", path: path, md5: files[2].md5)
    }
    #expect(try scratch.folder.tree("outside").isEmpty)
  }

  @Test("Failed change: a commit that fails", arguments: [Change.Kind.add, .merge, .replace])
  func failedCommit(kind: Change.Kind) throws {
    let observer = Refusal()
    try expectNothing(kind: kind) { writer, edit, _ in
      if kind == .replace {
        try edit.removeAll(of: writer.library.contents())
        edit.newCategories = [LibraryScratch.category()]
      }
      writer.library.database.add(transactionObserver: observer, extent: .nextTransaction)
    }
    #expect(try scratch.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM replacedPhoto") } == 0)
  }

  private final class Refusal: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { throw DatabaseError(resultCode: .SQLITE_FULL, message: "disk full") }
    func databaseDidCommit(_ database: Database) {}
    func databaseDidRollback(_ database: Database) {}
  }

  @Test("Failed change: an error of the caller removes the staged files")
  func thrownError() throws {
    let contents = try scratch.contents()
    let files = try scratch.files()
    #expect(throws: CancellationError.self) {
      try scratch.writer().change(.merge) { change in
        try change.staging.stage("0").write([1], at: 0)
        throw CancellationError()
      }
    }
    #expect(try scratch.contents() == contents)
    #expect(try scratch.files() == files)
  }

  @Test("Change: lack of space is reported with the sizes", arguments: [Int.max, Int.max / 2, 1 << 50])
  func lackOfSpace(bytes: Int) throws {
    let error = #expect(throws: LibraryError.self) {
      try scratch.writer().requireSpace(bytes, ProgressCounter())
    }
    guard case .notEnoughSpace(scratch.path, let needed, let free)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(needed >= bytes)
    #expect(free < needed)
    #expect(error?.description.hasPrefix("not enough space in \(scratch.path): ") == true)
    try scratch.writer().requireSpace(0, ProgressCounter())
  }
}
