import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// The states that an interruption leaves at each step of a repair, made by hand. After recovery, every photo has its
/// corrupt or its intact file, and corrupt files are kept.
@Suite struct LibraryRepairTests {
  private let scratch: LibraryScratch
  private let photos: [Photo]

  init() throws {
    scratch = try LibraryScratch()
    photos = try scratch.commit(["a.jpg": "one", "b.jpg": "two"])
    try scratch.folder.write("corrupt", to: "library/" + photos[0].path)
    try scratch.folder.remove("library/" + photos[1].path)
  }

  /// The last step before the interruption.
  enum Step: Int, CaseIterable {
    case folderMade, halfStaged, staged, recorded, linked, movedAway, movedAwayAndNotStaged, replaced,
      allDone
  }

  private func file(_ path: String) -> String { "library/" + path }

  private func crash(at step: Step) throws {
    let staging = file(".staging/\(LibraryScratch.interrupted)")
    let corrupt = file(".rotten/\(LibraryScratch.interrupted)/1_a.jpg")
    try scratch.folder.makeFolder(staging)
    if step == .folderMade { return }
    if step == .halfStaged {
      try scratch.folder.write("on", to: staging + "/0")
      return
    }
    try scratch.folder.write("one", to: staging + "/0")
    try scratch.folder.write("two", to: staging + "/1")
    if step == .staged { return }
    try scratch.leaveMoves([photos[0].path: "one", photos[1].path: "two"], kind: .repair)
    if step == .recorded { return }
    try scratch.folder.write("corrupt", to: corrupt)
    if step == .linked { return }
    try scratch.folder.remove(file(photos[0].path))
    if step == .movedAway { return }
    if step == .movedAwayAndNotStaged {
      try scratch.folder.write("oo", to: staging + "/0")
      return
    }
    try move(staging + "/0", photos[0].path)
    if step == .replaced { return }
    try move(staging + "/1", photos[1].path)
  }

  private func move(_ name: String, _ path: String) throws {
    try FileManager.default.moveItem(
      atPath: scratch.folder.path(name).string, toPath: scratch.path.pushing(FilePath(path)).string)
  }

  @Test("Interrupted repair: recovery leaves every photo intact or as it was", arguments: Step.allCases)
  func interruption(_ step: Step) throws {
    try crash(at: step)
    let contents = try scratch.contents()
    for _ in 0..<2 {
      let library = try scratch.writer().library
      #expect(try library.contents() == contents)
      #expect(try library.untrackedFiles() == [])
      let texts = try scratch.photoTexts()
      #expect(try scratch.files().keys.allSatisfy { !$0.hasPrefix(".staging/") })
      let first = texts[photos[0].path]
      #expect(first == "one" || first == "corrupt")
      if step == .movedAway { #expect(first == "one") }
      #expect(texts.values.contains("corrupt"))
      // what was missing may be back, and is never something else
      #expect(texts[photos[1].path] ?? "two" == "two")
    }
  }

  @Test("Repair: recovery ignores moves to places that no photo has")
  func invalidTargets() throws {
    try scratch.folder.write("one", to: file(".staging/\(LibraryScratch.interrupted)/0"))
    try scratch.leaveMoves(
      [
        "../outside": "one", "/tmp/x": "one", "library.sqlite-x": "one", "photos/../x": "one",
        "photos/new.jpg": "one",
      ], kind: .repair)
    let before = try scratch.photoTexts().filter { !$0.key.hasPrefix(".staging") }
    _ = try scratch.writer()
    #expect(try scratch.photoTexts() == before)
    #expect(!scratch.folder.has("outside"))
    #expect(!scratch.folder.has("x"))
  }

  @Test("Repair: photos are intact, and corrupt files are kept")
  func corruptFileIsKept() throws {
    let writer = try scratch.writer()
    let outcome = try writer.change(nil) { change in
      try change.staging.stage("0").write(Array("one".utf8), at: 0)
      try change.staging.stage("1").write(Array("two".utf8), at: 0)
      return try change.commit(
        nil, repairs: photos.enumerated().map { FileRepair(photo: $1, name: "\($0)") })
    }
    #expect(try scratch.pendingMoves() == [])
    #expect(try scratch.rowsWithoutFile() == [])
    #expect(outcome.failures.isEmpty)
    let corrupt = try #require(outcome.corruptFiles).appending("1_a.jpg")
    #expect(try scratch.photoTexts()[corrupt.string] == "corrupt")
    #expect(try writer.library.untrackedFiles() == [])
  }

  /// Leaves an addition that also repairs the two photos, with the steps that come before its transaction.
  private func interruptAddition(_ place: String) throws {
    let staging = file(".staging/\(LibraryScratch.interrupted)")
    try scratch.folder.write("new", to: file(place))
    try scratch.leaveMoves([place: "new"])
    try scratch.folder.write("one", to: staging + "/1")
    try scratch.folder.write("two", to: staging + "/2")
    let repairs = photos.enumerated().map { FileRepair(photo: $1, name: "\($0 + 1)") }
    try scratch.sql { database in
      try FileMove.insert(repairs.compactMap { $0.move(in: LibraryScratch.interrupted) }, into: database)
    }
  }

  @Test("Interrupted addition: recovery removes the new file, and fills the places of missing photos")
  func additionWithRepairs() throws {
    try interruptAddition("photos/2025/10/new.jpg")
    let contents = try scratch.contents()
    let library = try scratch.writer().library
    #expect(try library.contents() == contents)
    #expect(
      try scratch.photoTexts() == [photos[0].path: "corrupt", photos[1].path: "two"])
    #expect(try scratch.pendingMoves() == [])
  }

  @Test("Repair: a path that is not in normal form below photos is refused")
  func invalidPath() throws {
    var photo = photos[0]
    photo.path = "photos/../photos/2025/10/a.jpg"
    let before = try scratch.photoTexts()
    let outcome = try scratch.writer().change(nil) { change in
      try change.staging.stage("0").write(Array("one".utf8), at: 0)
      return try change.commit(nil, repairs: [FileRepair(photo: photo, name: "0")])
    }
    #expect((outcome.failures[photo.id] as? FileError)?.errno == .invalidArgument)
    #expect(try scratch.photoTexts() == before)
  }

  @Test("Repair: a place that must be empty and is not stays as it is")
  func takenPlace() throws {
    let outcome = try scratch.writer().change(nil) { change in
      try change.staging.stage("0").write(Array("one".utf8), at: 0)
      return try change.commit(
        nil, repairs: [FileRepair(photo: photos[0], name: "0", replacesFile: false)])
    }
    #expect((outcome.failures[photos[0].id] as? FileError)?.errno == .fileExists)
    #expect(try scratch.photoTexts() == [photos[0].path: "corrupt"])
  }

  @Test("Repair: an error of the caller removes the staged files")
  func failure() throws {
    struct Stop: Error {}
    let before = try scratch.files()
    let writer = try scratch.writer()
    #expect(throws: Stop.self) {
      try writer.change(nil) { change in
        try change.staging.stage("0").write([1], at: 0)
        throw Stop()
      }
    }
    #expect(try scratch.files() == before)
  }
}
