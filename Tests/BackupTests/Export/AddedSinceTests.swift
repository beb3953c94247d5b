import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import Backup
@testable import PhotoLibrary

/// The number of photos that were added since the last export.
@Suite struct AddedSinceTests {
  private let scratch = ScratchFolder()
  private let library: Library
  private let path: FilePath

  init() async throws {
    path = scratch.path.appending("library")
    try Library.create(at: path)
    library = try Library(path: path)
    try await add("one")
    try await add("two")
  }

  private func add(_ name: String) async throws {
    let file = try scratch.write([UInt8](name.utf8), to: "\(name).jpg")
    var options = AddOptions()
    options.category = "Family"
    #expect(try await Work.add([file], to: path, options: options).summary.photosAdded == 1)
  }

  private func remove(_ name: String) async throws {
    let selection = LibrarySelection(names: [name])
    #expect(try await Work.remove(selection, from: path, options: .given).summary.photos.count == 1)
  }

  private func undo() async throws {
    _ = try await Work.undo(path, options: .given).summary
  }

  private func export() async throws {
    _ = try await Work.export(path, to: scratch.path).summary
  }

  private func addedSince() throws -> Int? {
    try library.photosAdded(since: try #require(try library.lastExport()))
  }

  @Test("Added since: the export has its photos and categories, and nothing is newer")
  func none() async throws {
    try await export()
    let record = try #require(try library.lastExport())
    #expect(record.photos == 2)
    #expect(record.categories == 1)
    #expect(try addedSince() == 0)
  }

  @Test("Added since: photos that were added after the export are counted")
  func added() async throws {
    try await export()
    try await add("three")
    try await add("four")
    #expect(try addedSince() == 2)
  }

  @Test("Added since: a removed photo is not counted")
  func addedAndRemoved() async throws {
    try await export()
    try await add("three")
    try await remove("three")
    #expect(try addedSince() == 0)
  }

  @Test("Added since: a photo with the ID of a removed one is counted")
  func reusedID() async throws {
    try await export()
    try await remove("two")
    try await add("three")
    #expect(try addedSince() == 1)
  }

  @Test("Added since: a photo that was removed and restored after the export is not counted")
  func undoneRemoval() async throws {
    try await export()
    try await remove("two")
    try await undo()
    #expect(try addedSince() == 0)
  }

  @Test("Added since: a photo that was removed before the export and restored after it is counted")
  func undoneOldRemoval() async throws {
    try await remove("two")
    try await export()
    try await undo()
    #expect(try addedSince() == 1)
  }

  private func changeSettings() throws {
    let writer = try LibraryWriter(path: path)
    var edit = LibraryEdit()
    edit.settings = try writer.library.contents().settings
    edit.settings?.kidSafeMode = false
    try writer.change(.settings) { try $0.commit(edit, files: []) }
  }

  @Test("Added since: an undo counts only if it takes back a change before the export")
  func severalUndos() async throws {
    try await remove("two")
    try changeSettings()
    try await export()
    try changeSettings()
    try await undo()
    try await undo()
    #expect(try addedSince() == 0)
    try await undo()
    #expect(try addedSince() == 1)
  }

  @Test("Added since: photos of an undone import are not counted")
  func undoneImport() async throws {
    try await export()
    let archive = try #require(try library.lastExport()).archive
    let other = scratch.path.appending("other")
    try Library.create(at: other)
    _ = try await Work.add([try scratch.write([1], to: "five.jpg")], to: other).summary
    let archives = try await Work.export(other, to: try scratch.makeFolder("others")).summary.archives
    _ = try await Work.import(archives, into: path).summary
    #expect(try addedSince() == 1)
    try await undo()
    #expect(try addedSince() == 0)
    #expect(try library.lastExport()?.archive == archive)
  }

  @Test("Added since: a clock that was set back does not matter")
  func clock() async throws {
    var options = ExportOptions()
    options.date = Date(timeIntervalSince1970: 4_000_000_000)
    _ = try await Work.export(path, to: scratch.path, options: options).summary
    try await add("three")
    #expect(try addedSince() == 1)
  }
}
