import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

/// Every strategy to rename without replacing, on a file system that supports all of them.
struct RenameTests {
  let folder = ScratchFolder()

  init() throws {
    try folder.write("photo", to: "from/a")
    try folder.makeFolder("to")
  }

  private func rename(_ name: FilePath, as new: FilePath, by strategies: [RenameStrategy]) throws(FileError) {
    let from = try Directory.open(folder.path("from"))
    let to = try Directory.open(folder.path("to"))
    try from.rename(name, to: to, as: new, by: strategies)
  }

  /// Renames a file of `from` as `b` in `to`. That must fail with this error and change nothing.
  private func expectRefusal(of name: FilePath, by strategies: [RenameStrategy], _ errno: Errno) throws {
    let before = try folder.tree()
    let error = FileError(
      "rename \(folder.path("from").appending(name.components)) to", folder.path("to/b"), errno)
    #expect(throws: error) { try rename(name, as: "b", by: strategies) }
    #expect(try folder.tree() == before)
  }

  @Test("Rename: a file moves", arguments: RenameStrategy.allCases)
  func move(strategy: RenameStrategy) throws {
    try rename("a", as: "b", by: [strategy])
    #expect(try folder.tree() == ["from": .folder, "to": .folder, "to/b": .file(Data("photo".utf8))])
  }

  @Test("Rename: a taken name is never replaced", arguments: RenameStrategy.allCases)
  func takenName(strategy: RenameStrategy) throws {
    try folder.write("other", to: "to/b")
    try expectRefusal(of: "a", by: [strategy], .fileExists)
  }

  @Test("Rename: a dangling symbolic link is a taken name", arguments: RenameStrategy.allCases)
  func danglingLink(strategy: RenameStrategy) throws {
    try folder.link("to/b", to: "nowhere")
    try expectRefusal(of: "a", by: [strategy], .fileExists)
  }

  @Test("Rename: a missing file changes nothing", arguments: RenameStrategy.allCases)
  func missing(strategy: RenameStrategy) throws {
    try expectRefusal(of: "none", by: [strategy], .noSuchFileOrDirectory)
  }

  /// The reply of a server was lost, or the program ended before it removed the old name.
  @Test("Rename: a link that an earlier attempt made is not a taken name")
  func ownLink() throws {
    try FileManager.default.linkItem(atPath: folder.path("from/a").string, toPath: folder.path("to/b").string)
    try rename("a", as: "b", by: [.link])
    #expect(try folder.tree() == ["from": .folder, "to": .folder, "to/b": .file(Data("photo".utf8))])
  }

  @Test("Rename: the best strategy is tried first")
  func order() throws {
    #expect(RenameStrategy.allCases == [.noReplace, .link, .reservation])
    let from = try Directory.open(folder.path("from"))
    let identity = try from.status(of: "a")?.identity
    try from.rename("a", to: from, as: "b")
    #expect(try from.status(of: "b")?.identity == identity)
    #expect(try from.names() == ["b"])
  }

  /// A folder cannot be linked (EPERM), like a file on FAT. The next strategy refuses a folder too.
  @Test("Rename: the next strategy is tried if one is not supported")
  func fallback() throws {
    try folder.makeFolder("from/folder")
    try expectRefusal(of: "folder", by: [.link, .reservation], .notDirectory)
  }

  @Test("Rename: replacing a file keeps the old one on failure")
  func replace() throws {
    try folder.write("old", to: "from/journal")
    let from = try Directory.open(folder.path("from"))
    try from.replace("journal", with: "a")
    #expect(try folder.tree("from") == ["journal": .file(Data("photo".utf8))])
    let expected = FileError(
      "rename \(folder.path("from/none")) to", folder.path("from/journal"), .noSuchFileOrDirectory)
    #expect(throws: expected) { try from.replace("journal", with: "none") }
    #expect(try folder.bytes("from/journal") == Array("photo".utf8))
  }
}
