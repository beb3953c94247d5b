import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

/// Every way to rename without replacing, one at a time, on a file system that has them all.
struct RenameTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("photo", to: "from/a")
    try folder.makeFolder("to")
  }

  private func rename(_ name: FilePath, as new: FilePath, by ways: [RenameStrategy]) throws(FileError) {
    let from = try Directory.open(folder.path("from"))
    let to = try Directory.open(folder.path("to"))
    try from.rename(name, to: to, as: new, by: ways)
  }

  @Test(arguments: RenameStrategy.allCases)
  func aFileMovesWhole(way: RenameStrategy) throws {
    try rename("a", as: "b", by: [way])
    #expect(try folder.tree() == ["from": .folder, "to": .folder, "to/b": .file(Data("photo".utf8))])
  }

  @Test(arguments: RenameStrategy.allCases)
  func aTakenNameIsNeverReplaced(way: RenameStrategy) throws {
    try folder.write("other", to: "to/b")
    let before = try folder.tree()
    let expected = FileError("rename \(folder.path("from/a")) to", folder.path("to/b"), .fileExists)
    #expect(throws: expected) { try rename("a", as: "b", by: [way]) }
    #expect(try folder.tree() == before)
  }

  @Test(arguments: RenameStrategy.allCases)
  func aDanglingLinkIsATakenName(way: RenameStrategy) throws {
    try folder.link("to/b", to: "nowhere")
    let before = try folder.tree()
    let error = #expect(throws: FileError.self) { try rename("a", as: "b", by: [way]) }
    #expect(error?.errno == .fileExists)
    #expect(try folder.tree() == before)
  }

  @Test(arguments: RenameStrategy.allCases)
  func aMissingFileLeavesNothing(way: RenameStrategy) throws {
    let before = try folder.tree()
    let error = #expect(throws: FileError.self) { try rename("none", as: "b", by: [way]) }
    #expect(error?.errno == .noSuchFileOrDirectory)
    #expect(try folder.tree() == before)
  }

  /// The link was made, and the answer was lost, or this program ended before the old name went.
  @Test func aLinkOfOurOwnIsNoTakenName() throws {
    try FileManager.default.linkItem(atPath: folder.path("from/a").string, toPath: folder.path("to/b").string)
    try rename("a", as: "b", by: [.link])
    #expect(try folder.tree() == ["from": .folder, "to": .folder, "to/b": .file(Data("photo".utf8))])
  }

  @Test func theBestWayIsTriedFirst() throws {
    #expect(RenameStrategy.allCases == [.noReplace, .link, .reservation])
    let from = try Directory.open(folder.path("from"))
    let identity = try from.status(of: "a")?.identity
    try from.rename("a", to: from, as: "b")
    #expect(try from.status(of: "b")?.identity == identity)
    #expect(try from.names() == ["b"])
  }

  /// A folder cannot be linked (EPERM), as a file on FAT cannot: the next way is tried, which refuses a folder too.
  @Test func theNextWayIsTriedWhereOneIsMissing() throws {
    try folder.makeFolder("from/folder")
    let before = try folder.tree()
    let error = #expect(throws: FileError.self) { try rename("folder", as: "b", by: [.link, .reservation]) }
    #expect(error?.errno == .notDirectory)
    #expect(try folder.tree() == before)
  }

  @Test func replacingIsOneStep() throws {
    try folder.write("old", to: "from/journal")
    let from = try Directory.open(folder.path("from"))
    try from.replace("journal", with: "a")
    #expect(try folder.tree("from") == ["journal": .file(Data("photo".utf8))])
    #expect(throws: FileError.self) { try from.replace("journal", with: "none") }
    #expect(try folder.bytes("from/journal") == Array("photo".utf8))
  }
}
