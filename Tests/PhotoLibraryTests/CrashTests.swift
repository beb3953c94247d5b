import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// What a crash leaves at each step of a change, made by hand; opening the library for writing has to bring it to
/// the old state or to the new one, whole.
struct CrashTests {
  let scratch: LibraryScratch
  private let before: LibraryContents

  init() throws {
    scratch = try LibraryScratch()
    try scratch.commit(["a.jpg": "one"])
    before = try scratch.contents()
  }

  /// How far a change came.
  enum Step: Int, CaseIterable {
    case folderMade, halfStaged, staged, journalBegun, journalled, foldersMade, oneMoved, halfLinked,
      allMoved,
      committed, stagingHalfRemoved

    var isDone: Bool { self == .committed || self == .stagingHalfRemoved }
  }

  private static let texts: KeyValuePairs = ["a.jpg": "two", "b.jpg": "three"]

  /// Leaves the library as a crash at this step does, and returns the photos that were to be.
  private func crash(at step: Step) throws -> [Photo] {
    let writer = try scratch.writer()
    let change = try Change(.merge, writer: writer)
    let staging = "library/.staging/\(change.id)"
    if step == .folderMade { return [] }
    if step == .halfStaged {
      try change.stage("0").write([1], at: 0)
      return []
    }
    var (photos, files) = try LibraryScratch.stage(Self.texts, in: change, of: writer, firstId: 2)
    photos[1].path = "photos/2001/02/b.jpg"
    files[1] = .init(name: "1", path: photos[1].path, md5: files[1].md5)
    if step == .staged { return photos }
    let journal = try LibraryScratch.journal(files)
    if step == .journalBegun {
      try scratch.folder.write(journal.prefix(journal.count / 2), to: staging + "/journal.new")
      return photos
    }
    try scratch.folder.write(journal, to: staging + "/journal")
    if step == .journalled { return photos }
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
        try database.execute(sql: "INSERT INTO change VALUES (?, 'merge', 0)", arguments: [change.id])
        for photo in photos { try photo.insert(database) }
        return .commit
      }
    }
    if step == .stagingHalfRemoved { try scratch.folder.remove(staging + "/journal") }
    return photos
  }

  private func move(_ name: String, _ path: String) throws {
    try FileManager.default.moveItem(
      atPath: scratch.folder.path(name).string, toPath: scratch.path.pushing(FilePath(path)).string)
  }

  @Test(arguments: Step.allCases)
  func theNextWriterFindsAWholeLibrary(step: Step) throws {
    let files = try scratch.files()
    let photos = try crash(at: step)
    // a reader that comes first sees a whole library too, and changes nothing
    let left = try scratch.files()
    let seen = try scratch.contents()
    #expect(seen.photos == before.photos + (step.isDone ? photos : []))
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(try scratch.files() == left)

    for _ in 0..<2 {
      let library = try scratch.writer().library
      #expect(try library.contents() == seen)
      #expect(try scratch.rowsWithoutFile().isEmpty)
      #expect(try library.strangers() == [])
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

  @Test(arguments: Step.allCases)
  func theSameChangeCanBeMadeAfterwards(step: Step) throws {
    _ = try crash(at: step)
    try scratch.commit(["a.jpg": "two", "c.jpg": "four"], firstId: 10)
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(try scratch.contents().photos.count == (step.isDone ? 5 : 3))
    #expect(try Library(path: scratch.path).strangers() == [])
  }

  @Test func severalCrashesAreTidiedAtOnce() throws {
    let files = try scratch.files()
    // a writer that crashes without having recovered: each begins where the last one stopped
    let states = try [Step.staged, .journalled, .oneMoved].map { step in
      _ = try crash(at: step)
      let state = try scratch.folder.tree("library/.staging").filter { $0.value != .folder }
      _ = try scratch.writer()
      return state
    }
    for state in states {
      for case (let path, .file(let bytes)) in state {
        try scratch.folder.write(bytes, to: "library/.staging/" + path)
      }
    }
    _ = try scratch.writer()
    #expect(try scratch.files() == files)
  }
}
