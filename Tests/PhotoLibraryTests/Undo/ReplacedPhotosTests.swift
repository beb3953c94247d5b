import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// What becomes of the files of photos that a change replaced.
struct ReplacedPhotosTests {
  let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch(["a.jpg": "one", "b.jpg": "two"]) }

  private func changes() throws -> [String] {
    try scratch.sql { try String.fetchAll($0, sql: "SELECT id FROM change ORDER BY rowid") }
  }

  private func replacedRows() throws -> [Int64] {
    try scratch.sql { try Int64.fetchAll($0, sql: "SELECT id FROM replacedPhoto ORDER BY rowid") }
  }

  @discardableResult
  private func holdingReadersLock<Value>(_ body: () throws -> Value) throws -> Value {
    try Library(path: scratch.path).withPhotoReadLock(body)
  }

  /// As an undo of the newest change would find them: the replaced rows' bytes, by id.
  private func undoTexts() throws -> [String: String] {
    let texts = try scratch.photoTexts().filter { $0.key.hasPrefix(".undo/") }
    return Dictionary(
      uniqueKeysWithValues: texts.map { (FilePath($0.key).lastComponent?.string ?? "", $0.value) })
  }

  private func photoTexts() throws -> [String: String] {
    try scratch.photoTexts().filter { $0.key.hasPrefix("photos/") }
  }

  @Test(
    "Replaced files: if the database is replaced by an older copy, its photos get their files back",
    arguments: [Change.Kind.organize, .replace])
  func olderDatabase(next: Change.Kind) throws {
    let before = try photoTexts()
    let database = try scratch.databaseFiles()
    try scratch.commit(["c.jpg": "three"], as: .replace, firstId: 1)
    try scratch.restore(database)
    let writer = try scratch.writer()
    try writer.change(next) { change in
      var edit = LibraryEdit()
      edit.newCategories = [LibraryScratch.category(7, "new")]
      try change.commit(edit, files: [])
    }
    #expect(try photoTexts().filter { before.keys.contains($0.key) } == before)
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(try undoTexts() == [:])
  }

  @Test("Replaced files: a file with other bytes than a photo without file is not put in its place")
  func olderDatabaseOtherBytes() throws {
    let database = try scratch.databaseFiles()
    try scratch.commit(["c.jpg": "three"], as: .replace, firstId: 1)
    let change = try #require(try changes().last)
    try Data("eno".utf8).write(to: URL(filePath: scratch.path.appending(".undo/\(change)/1").string))
    try scratch.restore(database)
    try scratch.writer().change(.organize) { change in
      var edit = LibraryEdit()
      edit.newCategories = [LibraryScratch.category(7, "new")]
      try change.commit(edit, files: [])
    }
    #expect(try scratch.rowsWithoutFile().count == 1)
  }

  @Test("Replaced files: they move to .undo under the IDs of their photos")
  func moved() throws {
    let before = try scratch.contents()
    try scratch.commit(["c.jpg": "three"], as: .replace, firstId: 1)
    let change = try #require(try changes().last)
    #expect(
      try scratch.photoTexts() == [
        "photos/2025/10/c.jpg": "three", ".undo/\(change)/1": "one", ".undo/\(change)/2": "two",
      ])
    #expect(try scratch.contents().photos.map(\.name) == ["photo 1"])
    #expect(try scratch.rowsWithoutFile().isEmpty)
    // every row and value that was there is kept for the undo
    let kept = try scratch.sql { database in
      try LibraryContents(
        categories: Category.fetchAll(database, sql: "SELECT * FROM replacedCategory"),
        photos: Photo.fetchAll(
          database, sql: "SELECT \(Photo.columns) FROM replacedPhoto ORDER BY id"),
        settings: #require(try Settings.fetchOne(database, sql: "SELECT * FROM replacedSettings")))
    }
    #expect(kept == before)
  }

  @Test("Replaced files: empty folders are removed, and untracked files stay")
  func folders() throws {
    try scratch.folder.write("mine", to: "library/photos/2025/mine.txt")
    try scratch.commit([:], as: .replace)
    #expect(try photoTexts() == ["photos/2025/mine.txt": "mine"])
    #expect(!scratch.folder.has("library/photos/2025/10"))
    #expect(try Library(path: scratch.path).untrackedFiles() == ["photos/2025/mine.txt"])
  }

  @Test("Replaced files: the file of a kept photo stays in place")
  func keptPhoto() throws {
    let kept = try #require(try scratch.contents().photos.first)
    try scratch.commit(["c.jpg": "three"], as: .replace, firstId: 7, keeping: [kept])
    #expect(try photoTexts() == ["photos/2025/10/a.jpg": "one", "photos/2025/10/c.jpg": "three"])
    #expect(try undoTexts() == ["2": "two"])
    #expect(try scratch.rowsWithoutFile().isEmpty)
  }

  @Test("Replaced files: they do not move while an export reads")
  func readLockWhileMoving() throws {
    try holdingReadersLock {
      try scratch.commit(["c.jpg": "three"], as: .replace)
      #expect(try photoTexts().values.sorted() == ["one", "three", "two"])
      // not even by the next writer, as long as the export goes on
      _ = try scratch.writer()
      #expect(try photoTexts().values.sorted() == ["one", "three", "two"])
      #expect(try scratch.contents().photos.count == 1)
      #expect(try Library(path: scratch.path).untrackedFiles() == [])
    }
    _ = try scratch.writer()
    #expect(try photoTexts() == ["photos/2025/10/c.jpg": "three"])
    #expect(try undoTexts() == ["1": "one", "2": "two"])
  }

  @Test("Replaced files: they are not deleted while an export reads")
  func readLockWhileDeleting() throws {
    try scratch.commit(["c.jpg": "three"], as: .replace)
    try holdingReadersLock {
      try scratch.commit(["d.jpg": "four"], firstId: 5)
      #expect(try undoTexts() == ["1": "one", "2": "two"])
    }
    _ = try scratch.writer()
    #expect(try undoTexts() == [:])
    #expect(try replacedRows() == [])
  }

  @Test("Replaced files: an untracked file in a former place is not deleted")
  func untrackedFile() throws {
    try scratch.commit(["c.jpg": "three"], as: .replace)
    try scratch.folder.write("untracked", to: "library/photos/2025/10/a.jpg")
    try scratch.commit(["d.jpg": "four"], firstId: 5)
    #expect(try undoTexts() == [:])
    #expect(try photoTexts()["photos/2025/10/a.jpg"] == "untracked")
    #expect(try Library(path: scratch.path).untrackedFiles() == ["photos/2025/10/a.jpg"])
  }

  @Test("Replaced files: the next undoable change deletes them", arguments: [Change.Kind.merge, .replace])
  func nextChange(kind: Change.Kind) throws {
    try scratch.commit(["c.jpg": "three"], as: .replace)
    try scratch.commit(["d.jpg": "four"], as: kind, firstId: 5)
    let expected = kind == .merge ? ["c.jpg": "three", "d.jpg": "four"] : ["d.jpg": "four"]
    #expect(try photoTexts().values.sorted() == expected.values.sorted())
    #expect(try undoTexts() == (kind == .merge ? [:] : ["1": "three"]))
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(!scratch.folder.has("library/.undo/\(try changes()[1])"))
  }

  @Test("Replaced files: adding photos keeps them")
  func add() throws {
    try scratch.commit(["c.jpg": "three"], as: .replace)
    try scratch.commit(["d.jpg": "four"], as: .add, firstId: 5)
    _ = try scratch.writer()
    #expect(try undoTexts() == ["1": "one", "2": "two"])
    #expect(try replacedRows() == [1, 2])
  }

  @Test("Replaced files: a file that two changes refer to is kept", arguments: [false, true])
  func sharedFile(
    isExporting: Bool
  ) throws {
    let kept = try #require(try scratch.contents().photos.first)
    let replace = {
      try scratch.commit(["c.jpg": "three"], as: .replace, firstId: 7, keeping: [kept])
      try scratch.commit(["d.jpg": "four"], as: .replace, firstId: 8)
    }
    if isExporting { try holdingReadersLock(replace) } else { try replace() }
    _ = try scratch.writer()
    #expect(try photoTexts() == ["photos/2025/10/d.jpg": "four"])
    #expect(try undoTexts() == ["1": "one", "7": "three"])
    #expect(try Set(replacedRows()) == [1, 7])
  }

  @Test("Replaced files: a file that a photo uses again is not deleted")
  func reusedFile() throws {
    let kept = try #require(try scratch.contents().photos.first)
    try holdingReadersLock {
      try scratch.commit(["c.jpg": "three"], as: .replace, firstId: 7)
      // before the file was moved, the next change takes it up again
      try scratch.commit([:], as: .replace, keeping: [kept])
    }
    _ = try scratch.writer()
    #expect(try photoTexts() == ["photos/2025/10/a.jpg": "one"])
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(try undoTexts() == ["7": "three"])
  }

  @Test("Replaced files: moving continues after an interruption", arguments: [1, 2])
  func interruptedMove(
    moved: Int
  ) throws {
    try holdingReadersLock { try scratch.commit(["c.jpg": "three"], as: .replace) }
    let change = try #require(try changes().last)
    try scratch.folder.makeFolder("library/.undo/\(change)")
    for (id, name) in [(1, "a.jpg"), (2, "b.jpg")].prefix(moved) {
      try FileManager.default.moveItem(
        atPath: scratch.folder.path("library/photos/2025/10/\(name)").string,
        toPath: scratch.folder.path("library/.undo/\(change)/\(id)").string)
    }
    _ = try scratch.writer()
    #expect(try undoTexts() == ["1": "one", "2": "two"])
    #expect(try photoTexts() == ["photos/2025/10/c.jpg": "three"])
  }

  @Test("Replaced files: an empty file in .undo reserves a name", arguments: [false, true])
  func reservedName(
    nextChange: Bool
  ) throws {
    try holdingReadersLock { try scratch.commit(["c.jpg": "three"], as: .replace) }
    let change = try #require(try changes().last)
    let reserve = { try self.scratch.folder.write("", to: "library/.undo/\(change)/1") }
    try scratch.folder.makeFolder("library/.undo/\(change)")
    _ = try reserve()
    if nextChange {
      try holdingReadersLock { try scratch.commit(["d.jpg": "four"], firstId: 5) }
      _ = try scratch.writer()
      #expect(try undoTexts() == [:])
      #expect(try Library(path: scratch.path).untrackedFiles() == [])
    } else {
      _ = try scratch.writer()
      #expect(try undoTexts() == ["1": "one", "2": "two"])
      #expect(try photoTexts() == ["photos/2025/10/c.jpg": "three"])
    }
  }

  @Test("Replaced files: deleting continues after an interruption")
  func interruptedDeletion() throws {
    try scratch.commit(["c.jpg": "three"], as: .replace)
    try holdingReadersLock { try scratch.commit(["d.jpg": "four"], firstId: 5) }
    try scratch.folder.remove("library/.undo/\(try changes()[1])/1")
    _ = try scratch.writer()
    #expect(try undoTexts() == [:])
    #expect(try replacedRows() == [])
    #expect(try photoTexts().count == 2)
  }

  @Test("Replaced files: a missing file does not stop the others")
  func missingFile() throws {
    try scratch.folder.remove("library/photos/2025/10/a.jpg")
    try scratch.commit(["c.jpg": "three"], as: .replace)
    #expect(try undoTexts() == ["2": "two"])
    try scratch.commit(["d.jpg": "four"], firstId: 5)
    #expect(try undoTexts() == [:])
    _ = try scratch.writer()
  }
}
