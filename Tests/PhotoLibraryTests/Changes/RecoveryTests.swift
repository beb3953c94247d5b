import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Which files recovery removes.
struct RecoveryTests {
  let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch(["a.jpg": "one"]) }

  @Test("Recovery: only the files of pending moves are removed")
  func pendingMoves() throws {
    try scratch.folder.write("two", to: "library/photos/2001/02/b.jpg")
    try scratch.folder.write("untracked", to: "library/photos/2001/02/c.jpg")
    try scratch.folder.write("three", to: "library/photos/1999/01/d.jpg")
    try scratch.leaveMoves([
      "photos/2001/02/b.jpg": "two", "photos/1999/01/d.jpg": "three", "photos/1998/01/e.jpg": "four",
    ])
    let library = try scratch.writer().library
    #expect(
      try scratch.photoTexts() == [
        "photos/2025/10/a.jpg": "one", "photos/2001/02/c.jpg": "untracked",
      ])
    #expect(!scratch.folder.has("library/photos/1999"))
    #expect(try library.untrackedFiles() == ["photos/2001/02/c.jpg"])
  }

  @Test("Recovery: a file with other content is untracked and stays")
  func otherContent() throws {
    try scratch.folder.write("edited since", to: "library/photos/2001/02/b.jpg")
    try scratch.folder.write("", to: "library/photos/2001/02/c.jpg")
    try scratch.leaveMoves(["photos/2001/02/b.jpg": "two", "photos/2001/02/c.jpg": "three"])
    let library = try scratch.writer().library
    #expect(try scratch.photoTexts()["photos/2001/02/b.jpg"] == "edited since")
    #expect(try library.untrackedFiles() == ["photos/2001/02/b.jpg", "photos/2001/02/c.jpg"])
  }

  @Test("Recovery: an equal file stays if the staged file still exists")
  func equalContent() throws {
    try scratch.folder.write("two", to: "library/photos/2001/02/b.jpg")
    try scratch.folder.write("two", to: "library/.staging/\(LibraryScratch.interrupted)/0")
    try scratch.leaveMoves(["photos/2001/02/b.jpg": "two"])
    let library = try scratch.writer().library
    #expect(try library.untrackedFiles() == ["photos/2001/02/b.jpg"])
    #expect(!scratch.folder.has("library/.staging/\(LibraryScratch.interrupted)"))
  }

  @Test("Recovery: a folder that is a symbolic link does not block writers")
  func linkedFolder() throws {
    try scratch.folder.write("two", to: "outside/b.jpg")
    try scratch.folder.makeFolder("library/photos/2001")
    try scratch.folder.link("library/photos/2001/02", to: "../../../outside")
    try scratch.leaveMoves(["photos/2001/02/b.jpg": "two"])
    #expect(try scratch.writer().library.contents().photos.count == 1)
    #expect(scratch.folder.has("outside/b.jpg"))
  }

  @Test("Recovery: the file of a pending move is not untracked")
  func pendingFilesAreTracked() throws {
    try scratch.folder.write("two", to: "library/photos/2001/02/b.jpg")
    try scratch.leaveMoves(["photos/2001/02/b.jpg": "two"])
    #expect(try Library(path: scratch.path).untrackedFiles() == [])
    #expect(try scratch.writer().library.untrackedFiles() == [])
    #expect(!scratch.folder.has("library/photos/2001"))
  }

  @Test("Recovery: the file of a photo stays")
  func fileOfPhoto() throws {
    try scratch.leaveMoves(["photos/2025/10/a.jpg": "one"])
    _ = try scratch.writer()
    #expect(try scratch.photoTexts() == ["photos/2025/10/a.jpg": "one"])
    #expect(try scratch.rowsWithoutFile().isEmpty)
  }

  @Test("Recovery: a file that an undo needs stays")
  func fileOfUndo() throws {
    let lock = try FileLock("readers.lock", in: Directory.open(scratch.path), exclusive: false)
    try scratch.commit(["b.jpg": "two"], as: .replace, firstId: 2)
    try scratch.leaveMoves(["photos/2025/10/a.jpg": "one"])
    _ = try scratch.writer()
    #expect(try scratch.photoTexts()["photos/2025/10/a.jpg"] == "one")
    lock.release()
  }

  @Test("Recovery: symbolic links and folders stay")
  func linksAndFolders() throws {
    try scratch.folder.write("one", to: "outside/x.jpg")
    try scratch.folder.makeFolder("library/photos/2001/02/c.jpg")
    try scratch.folder.link("library/photos/2001/02/b.jpg", to: "../../../../outside/x.jpg")
    try scratch.folder.link("library/photos/1999", to: "../../outside")
    try scratch.leaveMoves([
      "photos/2001/02/b.jpg": "one", "photos/2001/02/c.jpg": "one", "photos/1999/x.jpg": "one",
    ])
    let before = try scratch.folder.tree("library/photos")
    _ = try scratch.writer()
    #expect(try scratch.folder.tree("library/photos") == before)
    #expect(scratch.folder.has("outside/x.jpg"))
  }

  @Test(
    "Recovery: a target that is not the place of a photo is ignored",
    arguments: [
      "../outside/x.jpg", "/etc/hostname", "photos/../../outside/x.jpg", "library.lock",
      ".staging/\(LibraryScratch.interrupted)/0", "photos", "", "photos/2001/02/\0.jpg",
    ])
  func invalidTarget(path: String) throws {
    try scratch.folder.write("one", to: "outside/x.jpg")
    try scratch.folder.write("one", to: "library/library.lock")
    try scratch.leaveMoves([path: "one"])
    let library = try scratch.writer().library
    #expect(try library.contents().photos.count == 1)
    #expect(scratch.folder.has("outside/x.jpg"))
    #expect(scratch.folder.has("library/library.lock"))
    #expect(try scratch.photoTexts() == ["photos/2025/10/a.jpg": "one"])
  }

  @Test("Recovery: untracked files in .staging and .undo stay")
  func workingFolders() throws {
    let change = UUID().uuidString
    for name in [
      ".staging/file", ".staging/deep/er/file", ".staging/\(change)/mine.jpg", ".staging/\(change)/3/x.jpg",
      ".undo/mine.jpg", ".undo/\(change)/1/mine.jpg",
    ] {
      try scratch.folder.write("x", to: "library/" + name)
    }
    for name in ["0", "1", "2"] {
      try scratch.folder.write("x", to: "library/.staging/\(change)/" + name)
    }
    try scratch.folder.write("outside", to: "outside/x")
    try scratch.folder.link("library/.staging/link", to: "../../outside")
    try scratch.folder.makeFolder("library/.staging/\(LibraryScratch.interrupted)/journal")
    for _ in 0..<2 {
      let library = try scratch.writer().library
      #expect(
        try Set(library.untrackedFiles().map(\.string)) == [
          ".staging/\(LibraryScratch.interrupted)/journal", ".staging/deep", ".staging/file", ".staging/link",
          ".staging/\(change)/3", ".staging/\(change)/mine.jpg", ".undo/\(change)/1",
          ".undo/mine.jpg",
        ])
      #expect(
        ["0", "1", "2"].allSatisfy { !scratch.folder.has("library/.staging/\(change)/\($0)") })
      #expect(scratch.folder.has("library/.staging/deep/er/file"))
      #expect(scratch.folder.has("outside/x"))
    }
  }

  @Test("Recovery: the staging folder of a committed change is removed, and its photos stay")
  func committedChange() throws {
    let id = try #require(try scratch.sql { try String.fetchOne($0, sql: "SELECT id FROM change") })
    try scratch.folder.write("one", to: "library/.staging/\(id)/0")
    _ = try scratch.writer()
    #expect(try scratch.photoTexts() == ["photos/2025/10/a.jpg": "one"])
    #expect(try scratch.folder.tree("library/.staging").isEmpty)
  }

  @Test("Recovery: reverting a change of many photos leaves no moves", arguments: [0, 1, 2500])
  func manyMoves(count: Int) throws {
    let moves = (0..<count).map { number in
      FileMove(
        operationID: LibraryScratch.interrupted, kind: .add, source: "\(number)",
        target: "photos/“\(number)”\\.jpg", md5: LibraryScratch.digest("\(number)"))
    }
    try scratch.writer().transaction { try FileMove.insert(moves, into: $0) }
    #expect(try scratch.pendingMoves() == moves)
    _ = try scratch.writer()
    #expect(try scratch.pendingMoves() == [])
  }

  @Test(
    "Recovery: a source outside of the staging folder is ignored",
    arguments: ["../../photos/2025/10/a.jpg", "/etc/hostname", "", "mine.jpg", "0/../1", "1/.x", "1/2/3"])
  func invalidSource(source: String) throws {
    let file = try scratch.photoTexts()
    try scratch.sql {
      try FileMove.insert(
        [
          FileMove(
            operationID: LibraryScratch.interrupted, kind: .repair, source: source,
            target: "photos/2025/10/a.jpg", md5: LibraryScratch.digest("one"))
        ], into: $0)
    }
    _ = try scratch.writer()
    #expect(try scratch.photoTexts() == file)
    #expect(try scratch.pendingMoves() == [])
  }

  @Test("Recovery: a reader does not recover")
  func reader() throws {
    try scratch.folder.write("two", to: "library/photos/2001/02/b.jpg")
    try scratch.leaveMoves(["photos/2001/02/b.jpg": "two"])
    let before = try scratch.files()
    _ = try scratch.contents()
    #expect(try scratch.files() == before)
  }

  @Test("Recovery: a writer that does not get the lock does not recover")
  func refusedWriter() throws {
    let writer = try scratch.writer()
    try scratch.leaveMoves(["photos/2025/10/a.jpg": "one"])
    let before = try scratch.files()
    #expect(throws: FileLock.Busy.self) { _ = try scratch.writer() }
    #expect(try scratch.files() == before)
    _ = writer
  }
}
