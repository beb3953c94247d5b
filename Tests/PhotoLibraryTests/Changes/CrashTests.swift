import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// The states that an interruption leaves at each step of a change, made by hand. The next writer brings the library to
/// the old state or to the new one.
struct CrashTests {
  let scratch: LibraryScratch
  private let before: LibraryContents

  init() throws {
    scratch = try LibraryScratch(["a.jpg": "one"])
    before = try scratch.contents()
  }

  /// The last step before the interruption.
  enum Step: Int, CaseIterable {
    case folderMade, halfStaged, staged, recorded, foldersMade, oneMoved, halfLinked, allMoved, committed

    var isDone: Bool { self == .committed }
  }

  private static let texts: KeyValuePairs = ["a.jpg": "two", "b.jpg": "three"]

  /// Leaves the library as an interruption at this step does, and returns the photos of the change.
  private func crash(at step: Step) throws -> [Photo] {
    let writer = try scratch.writer()
    let change = try Change(.merge, writer: writer)
    let staging = "library/.staging/\(change.id)"
    if step == .folderMade { return [] }
    if step == .halfStaged {
      try change.staging.stage("0").write([1], at: 0)
      return []
    }
    var (photos, files) = try LibraryScratch.stage(Self.texts, in: change, of: writer, firstId: 2)
    photos[1].path = "photos/2001/02/b.jpg"
    files[1] = .init(name: "1", path: photos[1].path, md5: files[1].md5)
    if step == .staged { return photos }
    let moves = files.map {
      FileMove(operationID: change.id, kind: .add, source: $0.name, target: $0.path, md5: $0.md5)
    }
    try writer.transaction { try FileMove.insert(moves, into: $0) }
    if step == .recorded { return photos }
    try scratch.folder.makeFolder("library/photos/2001/02")
    if step == .foldersMade { return photos }
    try move(staging + "/0", files[0].path)
    if step == .oneMoved { return photos }
    if step == .halfLinked {
      try FileManager.default.linkItem(
        atPath: scratch.folder.path(staging + "/1").string,
        toPath: scratch.path.pushing(FilePath(files[1].path)).string)
      return photos
    }
    try move(staging + "/1", files[1].path)
    if step == .allMoved { return photos }
    try writer.write { [photos] database in
      try database.inTransaction {
        try FileMove.delete(operation: change.id, from: database)
        try database.execute(sql: "INSERT INTO change VALUES (?, 'merge', 0)", arguments: [change.id])
        for photo in photos { try photo.insert(database) }
        return .commit
      }
    }
    return photos
  }

  private func move(_ name: String, _ path: String) throws {
    try FileManager.default.moveItem(
      atPath: scratch.folder.path(name).string, toPath: scratch.path.pushing(FilePath(path)).string)
  }

  @Test(
    "Interrupted change: readers see the old or the new state, and the next writer restores it",
    arguments: Step.allCases)
  func recovery(step: Step) throws {
    let files = try scratch.files()
    let photos = try crash(at: step)
    let left = try scratch.files()
    let seen = try scratch.contents()
    #expect(seen.photos == before.photos + (step.isDone ? photos : []))
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(try scratch.files() == left)

    for _ in 0..<2 {
      let library = try scratch.writer().library
      #expect(try library.contents() == seen)
      #expect(try scratch.rowsWithoutFile().isEmpty)
      #expect(try library.untrackedFiles() == [])
      #expect(try scratch.pendingMoves() == [])
      if step.isDone {
        #expect(
          try scratch.photoTexts() == [
            "photos/2025/10/a.jpg": "one", "photos/2025/10/a (2).jpg": "two", "photos/2001/02/b.jpg": "three",
          ])
      } else {
        #expect(try scratch.files() == files)
      }
    }
  }

  @Test("Interrupted change: the same change can be repeated", arguments: Step.allCases)
  func repetition(step: Step) throws {
    _ = try crash(at: step)
    try scratch.commit(["a.jpg": "two", "c.jpg": "four"], firstId: 10)
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(try scratch.contents().photos.count == (step.isDone ? 5 : 3))
    #expect(try Library(path: scratch.path).untrackedFiles() == [])
  }

  @Test("Interrupted change: one writer recovers from several interruptions")
  func severalInterruptions() throws {
    let files = try scratch.files()
    // each interruption begins after recovery from the one before
    let states = try [Step.staged, .recorded, .oneMoved].map { step in
      let photos = try crash(at: step)
      let moved = try photos.isEmpty ? [:] : scratch.files().filter { files[$0.key] == nil }
      let moves = try scratch.pendingMoves()
      _ = try scratch.writer()
      return (moved, moves)
    }
    for (moved, moves) in states {
      for case (let path, .file(let bytes)) in moved {
        try scratch.folder.write(bytes, to: "library/" + path)
      }
      try scratch.sql { try FileMove.insert(moves, into: $0) }
    }
    _ = try scratch.writer()
    #expect(try scratch.files() == files)
    #expect(try scratch.pendingMoves() == [])
  }
}
