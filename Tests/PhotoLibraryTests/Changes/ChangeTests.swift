import FileSystem
import Foundation
import GRDB
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

struct ChangeTests {
  let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch() }

  @Test("Change: new photos have rows and files")
  func rowsAndFiles() throws {
    let photos = try scratch.commit(["a.jpg": "one", "b.jpg": "two", "a.jpg": "three"])
    #expect(photos.map(\.path) == ["a.jpg", "b.jpg", "a (2).jpg"].map { "photos/2025/10/" + $0 })
    #expect(try scratch.contents().photos == photos)
    #expect(
      try scratch.photoTexts() == [
        "photos/2025/10/a.jpg": "one", "photos/2025/10/b.jpg": "two", "photos/2025/10/a (2).jpg": "three",
      ])
    #expect(try scratch.rowsWithoutFile().isEmpty)
    let changes = try scratch.sql { try String.fetchAll($0, sql: "SELECT kind FROM change") }
    #expect(changes == ["merge"])
  }

  @Test("Change: only the owner can read new files and folders")
  func permissions() throws {
    try scratch.commit(["a.jpg": "one"])
    for (name, mode) in [("photos/2025", 0o700), ("photos/2025/10", 0o700), ("photos/2025/10/a.jpg", 0o600)] {
      let path = scratch.path.pushing(FilePath(name)).string
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
    }
  }

  @Test("Change: an edit of rows needs no files")
  func rowsOnly() throws {
    try scratch.writer().change(.merge) { change in
      var edit = LibraryEdit()
      edit.newCategories = [LibraryScratch.category()]
      try change.commit(edit, files: [])
    }
    #expect(try scratch.contents().categories == [LibraryScratch.category()])
    #expect(try scratch.files().keys.sorted() == ["photos"])
  }

  @Test("Change: staged files that are not committed are removed")
  func uncommittedFiles() throws {
    let before = try scratch.files()
    try scratch.writer().change(.merge) { change in
      try change.staging.stage("0").write([1], at: 0)
      try change.staging.stage("1").write([2], at: 0)
      try change.staging.unstage("0")
      #expect(throws: FileError.self) { _ = try change.staging.stage("1") }
    }
    #expect(try scratch.files() == before)
  }

  @Test(
    "Change: a staged name outside of the staging folder is refused",
    arguments: ["../escaped", "/tmp/escaped", "a/b", "", ".."])
  func nameOutside(name: String) throws {
    let error = try scratch.writer().change(.merge) { change in
      #expect(throws: FileError.self) { _ = try change.staging.stage(name) }
    }
    #expect(error != nil)
    #expect(try scratch.folder.tree().keys.allSatisfy { $0.hasPrefix("library") })
  }

  @Test("Change: values of rows are updated")
  func updates() throws {
    var photo = try #require(try scratch.commit(["a.jpg": "one"]).first)
    photo.name = "renamed"
    photo.width = 7
    var category = LibraryScratch.category()
    category.displayName = "The Family"
    var edit = LibraryEdit()
    edit.changedPhotos = [photo]
    edit.changedCategories = [category]
    try scratch.writer().change(.merge) { try $0.commit(edit, files: []) }
    #expect(try scratch.contents().photos == [photo])
    #expect(try scratch.contents().categories == [category])
  }

  @Test("Change: at the commit, the files are in their places and the moves are pending")
  func commitOrder() throws {
    try scratch.commit(["a.jpg": "one"])
    let writer = try scratch.writer()
    let witness = Witness(scratch)
    writer.library.database.add(transactionObserver: witness)
    let photos = try scratch.commit(["b.jpg": "two", "c.jpg": "three"], firstId: 2, with: writer)
    let seen = witness.seen.withLock { $0 }
    let (recording, commit) = (try #require(seen.first), try #require(seen.dropFirst().first))
    #expect(recording.texts.filter { $0.key.hasPrefix("photos/") } == ["photos/2025/10/a.jpg": "one"])
    #expect(recording.texts.keys.filter { $0.hasPrefix(".staging/") }.count == 2)
    #expect(recording.moves == [])
    #expect(commit.rows == 1)
    #expect(
      commit.texts == [
        "photos/2025/10/a.jpg": "one", "photos/2025/10/b.jpg": "two", "photos/2025/10/c.jpg": "three",
      ])
    #expect(commit.moves.map(\.target) == photos.map(\.path))
    #expect(commit.moves.map(\.md5) == ["two", "three"].map(LibraryScratch.digest))
    #expect(commit.moves.map(\.source) == ["0", "1"])
    #expect(try scratch.pendingMoves() == [])
    #expect(try scratch.files().keys.allSatisfy { !$0.hasPrefix(".staging") })
  }

  /// Sees the library as another process does, before each transaction is committed.
  private final class Witness: TransactionObserver, Sendable {
    let seen = Mutex<[(texts: [String: String], rows: Int, moves: [FileMove])]>([])
    let scratch: LibraryScratch

    init(_ scratch: LibraryScratch) { self.scratch = scratch }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws {
      let now = (try scratch.photoTexts(), try scratch.contents().photos.count, try scratch.pendingMoves())
      seen.withLock { $0.append(now) }
    }
    func databaseDidCommit(_ database: Database) {}
    func databaseDidRollback(_ database: Database) {}
  }

  @Test("Change: an open reader sees a committed change")
  func openReader() throws {
    try scratch.commit(["a.jpg": "one"])
    let reader = try Library(path: scratch.path)
    #expect(try reader.contents().photos.count == 1)
    try scratch.commit(["b.jpg": "two"], firstId: 2)
    #expect(try reader.contents().photos.count == 2)
  }

  @Test("Change: many photos in many folders have rows and files")
  func manyFolders() throws {
    let writer = try scratch.writer()
    var random = SeededNumbers(seed: 3)
    let dates = (0..<50).map { _ in Timestamp(rawValue: .random(in: -1 << 41...1 << 41, using: &random)) }
    try writer.change(.merge) { change in
      var edit = LibraryEdit()
      edit.newCategories = [LibraryScratch.category()]
      let paths = try writer.newPaths(for: dates.map { ("IMG_0001.jpg", $0) })
      var files: [Change.StagedFile] = []
      for (index, path) in paths.enumerated() {
        try change.staging.stage("\(index)").write(Array("\(index)".utf8), at: 0)
        edit.newPhotos.append(
          LibraryScratch.photo(Int64(index) + 1, path, "\(index)", createdAt: dates[index]))
        files.append(
          Change.StagedFile(name: "\(index)", path: path, md5: LibraryScratch.digest("\(index)")))
      }
      try change.commit(edit, files: files)
    }
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(try scratch.contents().photos.count == 50)
    #expect(try Library(path: scratch.path).untrackedFiles() == [])
  }
}
