import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// A photo that cannot be repaired blocks neither the other photos nor the library.
@Suite struct LibraryRepairFaultTests {
  private let scratch: LibraryScratch
  private let photos: [Photo]

  /// `a.jpg` is corrupt, `b.jpg` is missing.
  init() throws {
    scratch = try LibraryScratch()
    let photos = try scratch.commit(["a.jpg": "one", "b.jpg": "two"])
    try scratch.folder.write("corrupt", to: "library/" + photos[0].path)
    try scratch.folder.remove("library/" + photos[1].path)
    self.photos = photos
  }

  private func repair() throws -> FileRepair.Outcome {
    try scratch.writer().change(nil) { change in
      try change.staging.stage("0").write(Array("one".utf8), at: 0)
      try change.staging.stage("1").write(Array("two".utf8), at: 0)
      let photos = try scratch.contents().photos
      return try change.commit(
        nil, repairs: photos.enumerated().map { FileRepair(photo: $1, name: "\($0)") })
    }
  }

  private func arm(
    _ calls: Set<SystemCall>, at number: Int = 1, below name: String = "", persists: Bool = true
  )
    -> ArmedFault
  {
    let path = name.isEmpty ? scratch.path : scratch.path.pushing(FilePath(name))
    return ArmedFault(.error(.ioError), at: number, of: calls, persists: persists, below: path)
  }

  private func expectNothingStaged() throws {
    #expect(try scratch.files().keys.allSatisfy { !$0.hasPrefix(".staging/") })
  }

  @Test(
    "Repair: a photo with an unreadable inode is repaired",
    arguments: [[.open], [.status], [.open, .status]] as [Set<SystemCall>])
  func unreadableInode(
    _ calls: Set<SystemCall>
  ) throws {
    let fault = arm(calls, below: photos[0].path)
    let outcome = try repair()
    fault.disarm()
    #expect(fault.place != nil)
    #expect(outcome.failures.isEmpty)
    #expect(try scratch.rowsWithoutFile() == [])
    let kept = try #require(outcome.corruptFiles)
    #expect(try scratch.photoTexts()[kept.appending("1_a.jpg").string] == "corrupt")
    try expectNothingStaged()
  }

  @Test("Repair: a photo that cannot be moved is reported")
  func immovablePhoto() throws {
    let bad = arm([.open, .status], below: photos[0].path)
    let stuck = arm([.renameNoReplace], below: ".rotten")
    let outcome = try repair()
    bad.disarm()
    stuck.disarm()
    #expect(outcome.failures.keys.sorted() == [1])
    #expect((outcome.failures[1] as? FileError)?.errno == .ioError)
    #expect(try scratch.rowsWithoutFile().map(\.id) == [1])
    #expect(try scratch.photoTexts()[photos[0].path] == "corrupt")
    #expect(outcome.corruptFiles == nil)
    #expect(try scratch.files().keys.allSatisfy { !$0.hasPrefix(".rotten/") })
    try expectNothingStaged()
    #expect(try repair().failures.isEmpty)
  }

  @Test("Repair: the error of a status that cannot be read is reported if there is no file to move")
  func unreadableStatus() throws {
    try scratch.folder.remove("library/" + photos[0].path)
    let fault = arm([.status], below: photos[0].path)
    let outcome = try repair()
    fault.disarm()
    let error = try #require(outcome.failures[1] as? FileError)
    #expect(error.errno == .ioError)
    #expect(error.path == scratch.path.pushing(FilePath(photos[0].path)))
    #expect(outcome.corruptFiles == nil)
    try expectNothingStaged()
  }

  @Test("Repair: a file that was moved away moves back if the replacement fails")
  func failedReplacement() throws {
    try scratch.folder.remove("library/" + photos[0].path)
    try scratch.folder.link("library/" + photos[0].path, to: "elsewhere")
    // b.jpg takes its place, a.jpg goes away, a.jpg takes its place
    let fault = arm([.renameNoReplace], at: 3, persists: false)
    let outcome = try repair()
    fault.disarm()
    #expect(outcome.failures.keys.sorted() == [1])
    let place = scratch.path.pushing(FilePath(photos[0].path)).string
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place) == "elsewhere")
    #expect(outcome.corruptFiles == nil)
    #expect(try scratch.folder.tree("library").keys.allSatisfy { !$0.hasPrefix(".rotten/") })
    #expect(try scratch.photoTexts()[photos[1].path] == "two")
    try expectNothingStaged()
  }

  @Test("Repair: recovery fills the place if the file cannot move back")
  func failedMoveBack() throws {
    try scratch.folder.remove("library/" + photos[0].path)
    try scratch.folder.link("library/" + photos[0].path, to: "elsewhere")
    let (first, second) = (
      arm([.renameNoReplace], at: 3, persists: false), arm([.renameNoReplace], at: 4, persists: false)
    )
    let outcome = try repair()
    first.disarm()
    second.disarm()
    #expect(second.place != nil)
    #expect(outcome.failures.keys.sorted() == [1])
    #expect(try scratch.rowsWithoutFile() == [])
    let kept = try scratch.path.pushing(#require(outcome.corruptFiles)).appending("1_a.jpg").string
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: kept) == "elsewhere")
    try expectNothingStaged()
  }

  private func plantLink() throws {
    let parent = FilePath(photos[0].path).removingLastComponent().string
    try scratch.folder.makeFolder("outside")
    if scratch.folder.has("library/" + parent) { try scratch.folder.remove("library/" + parent) }
    try scratch.folder.link("library/" + parent, to: scratch.folder.path("outside").string)
  }

  @Test("Repair: a folder that is a symbolic link is not followed")
  func linkedFolder() throws {
    try scratch.sql { try $0.execute(sql: "UPDATE photo SET path = 'photos/2001/02/b.jpg' WHERE id = 2") }
    try plantLink()
    let outcome = try repair()
    #expect(outcome.failures.keys.sorted() == [1])
    #expect(try scratch.photoTexts()["photos/2001/02/b.jpg"] == "two")
    #expect(try scratch.folder.tree("outside").isEmpty)
    try expectNothingStaged()
    _ = try scratch.writer()
  }

  @Test("Repair: recovery that a symbolic link blocks keeps the staged file, and is repeated")
  func blockedRecovery() throws {
    let id = LibraryScratch.interrupted
    try scratch.folder.write("one", to: "library/.staging/\(id)/0")
    try scratch.leaveMoves([photos[0].path: "one"], kind: .repair)
    try scratch.folder.write("corrupt", to: "library/.rotten/\(id)/1_a.jpg")
    try plantLink()
    for _ in 0..<2 {
      _ = try scratch.writer()
      // the one good copy of a photo that the library lacks
      #expect(try scratch.photoTexts()[".staging/\(id)/0"] == "one")
    }
    #expect(try scratch.folder.tree("outside").isEmpty)
    #expect(try scratch.photoTexts()[".rotten/\(id)/1_a.jpg"] == "corrupt")
    // and it is there once nothing stands in its way
    try scratch.folder.remove("library/" + FilePath(photos[0].path).removingLastComponent().string)
    _ = try scratch.writer()
    #expect(try scratch.photoTexts()[photos[0].path] == "one")
    try expectNothingStaged()
  }
}
