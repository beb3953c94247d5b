import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// A folder of photos that is new in the library is moved there as one; where that cannot be, file by file.
struct NewFolderTests {
  private let scratch: LibraryScratch
  private static let names = ["a.jpg", "b.jpg"]

  init() throws { scratch = try LibraryScratch() }

  /// Imports two photos of one month, and returns how often something was renamed into the photo folder.
  private func bring(
    _ error: Errno? = nil, meanwhile: (FilePath) throws -> Void = { _ in }
  ) throws -> (moved: Int, renamed: Int) {
    let writer = try scratch.writer()
    var faults: [ArmedFault] = []
    try writer.change(.merge) { change in
      var edit = LibraryEdit()
      edit.newCategories = [LibraryScratch.category()]
      let paths = try writer.newPaths(for: Self.names.map { ($0, 0) })
      let staged = try change.stagedNames(for: paths)
      #expect(staged == ["0/a.jpg", "0/b.jpg"])
      var files: [Change.StagedFile] = []
      for (index, path) in paths.enumerated() {
        try change.stage(staged[index]).write(Array(path.utf8), at: 0)
        edit.newPhotos.append(LibraryScratch.photo(Int64(index) + 1, path, path, createdAt: 0))
        files.append(Change.StagedFile(name: staged[index], path: path, md5: LibraryScratch.digest(path)))
      }
      try meanwhile(scratch.path.appending(".staging").appending(change.id).appending("0"))
      let photos = scratch.path.appending("photos")
      let effect = error.map { Fault.Effect.error($0) } ?? .then {}
      for calls: Set<SystemCall> in [[.rename], [.renameNoReplace]] {
        let isEffect = calls == [.rename]
        faults.append(
          ArmedFault(
            Fault(isEffect ? effect : .then {}, of: .only(calls), persists: isEffect, below: photos)))
      }
      try change.commit(edit, files: files)
      for fault in faults { fault.disarm() }
    }
    #expect(
      try scratch.photoTexts().filter { $0.key.hasSuffix(".jpg") } == [
        "photos/1970/01/a.jpg": "photos/1970/01/a.jpg", "photos/1970/01/b.jpg": "photos/1970/01/b.jpg",
      ])
    #expect(try scratch.rowsWithoutFile().isEmpty)
    return (faults[0].count, faults[1].count)
  }

  @Test("Change: a new folder is moved with one rename")
  func oneRename() throws {
    #expect(try bring() == (1, 0))
    #expect(try scratch.folder.tree("library/.staging").isEmpty)
  }

  @Test("Change: files move one by one into an existing folder")
  func existingFolder() throws {
    try scratch.folder.write("note", to: "library/photos/1970/01/note")
    #expect(try bring() == (0, 2))
  }

  @Test(
    "Change: files move one by one if the folder cannot be renamed",
    arguments: [Errno.improperLink, .directoryNotEmpty, .fileExists])
  func fallback(error: Errno) throws {
    #expect(try bring(error) == (1, 2))
    #expect(try scratch.folder.tree("library/.staging").isEmpty)
  }

  @Test("Change: an untracked file among the staged ones does not move")
  func untrackedFile() throws {
    #expect(
      try bring { try Data("x".utf8).write(to: URL(fileURLWithPath: $0.appending(".sync").string)) } == (0, 2)
    )
    #expect(try Library(path: scratch.path).untrackedFiles().map(\.lastComponent?.string) == [".sync"])
  }
}
