import Checksums
import FileSystem
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Undo of changes of photos of which another photo has the same MD5.
struct UndoCollisionTests {
  private let scratch: LibraryScratch

  init() throws {
    scratch = try LibraryScratch()
    try add(MD5Collision.one, as: 1, named: "one.jpg", .add)
  }

  /// Adds a photo with its content tag.
  ///
  /// - Parameter edit: further changes in the same transaction.
  private func add(
    _ bytes: [UInt8], as id: Int64, named name: String, _ kind: Change.Kind = .merge,
    _ edit: LibraryEdit = LibraryEdit()
  ) throws {
    let writer = try scratch.writer()
    var edit = edit
    if try writer.library.contents().categories.isEmpty { edit.newCategories = [LibraryScratch.category()] }
    let path = try writer.newPaths(for: [(name, LibraryScratch.october)])[0]
    var photo = LibraryScratch.photo(id, path, "")
    photo.md5 = MD5Digest(hashing: bytes)
    photo.fileSize = bytes.count
    edit.newPhotos = [photo]
    let tag = try writer.contentTagKey().tag(of: bytes)
    let md5 = MD5Digest(hashing: bytes)
    try writer.change(kind) { [edit] change in
      try change.stage("0").write(bytes, at: 0)
      try change.commit(edit, files: [Change.StagedFile(name: "0", path: path, md5: md5, tag: tag)])
    }
  }

  /// Removes photo 1.
  private func remove() throws {
    var edit = LibraryEdit()
    edit.removedPhotos = [1]
    try scratch.writer().change(.remove) { [edit] change in try change.commit(edit, files: []) }
  }

  private func undo() throws -> UndoSummary {
    var options = UndoOptions()
    options.authorization = .given
    return try UndoRun(path: scratch.path, options: options, counter: ProgressCounter()).run()
  }

  /// The path of the file that `.undo` has of photo 1.
  private func removedFile() throws -> String {
    let files = try scratch.folder.tree("library/.undo").keys.filter { $0.hasSuffix("/1") }
    return "library/.undo/\(try #require(files.first))"
  }

  @Test("Undo: a removed file that was exchanged for one with its MD5 is reported as corrupt")
  func exchangedInUndo() throws {
    try remove()
    try scratch.folder.write(MD5Collision.other, to: removedFile())
    let summary = try undo()
    #expect(summary.damaged.count == 1)
    #expect(summary.photosRestored == 1)
  }

  @Test("Undo: a removed file that is intact or has no tag is not reported", arguments: [true, false])
  func intact(hasTag: Bool) throws {
    if !hasTag { try scratch.sql { try $0.execute(sql: "UPDATE photo SET tag = NULL") } }
    try remove()
    // with another date, so that the file is compared
    try scratch.folder.write(hasTag ? MD5Collision.one : MD5Collision.other, to: removedFile())
    #expect(try undo().findings == [])
  }

  @Test("Undo: a file that was exchanged for one with its MD5 is not deleted", arguments: [true, false])
  func exchangedInPlace(isDryRun: Bool) throws {
    try add(MD5Collision.other, as: 2, named: "other.jpg")
    let path = try #require(try scratch.contents().photos.last).path
    try scratch.folder.write(MD5Collision.one, to: "library/\(path)")
    if isDryRun {
      var options = UndoOptions()
      options.isDryRun = true
      let run = UndoRun(path: scratch.path, options: options, counter: ProgressCounter())
      #expect(try run.run().left.count == 1)
    } else {
      #expect(try undo().left.count == 1)
      #expect(try scratch.folder.bytes("library/\(path)") == MD5Collision.one)
      _ = try scratch.writer()
      #expect(try scratch.folder.bytes("library/\(path)") == MD5Collision.one)
    }
  }

  @Test("Undo: an added photo whose file has another date and its own bytes is deleted")
  func anotherDate() throws {
    try add(MD5Collision.other, as: 2, named: "other.jpg")
    let path = try #require(try scratch.contents().photos.last).path
    try scratch.folder.write(MD5Collision.other, to: "library/\(path)")
    #expect(try undo().findings == [])
    #expect(!FileManager.default.fileExists(atPath: scratch.path.appending(path).string))
  }

  @Test("Recovery: a file that replaced a removed photo with its MD5 stays in its place")
  func untrackedFile() throws {
    let path = try #require(try scratch.contents().photos.first).path
    // an export that reads keeps the file in its place
    try Library(path: scratch.path).withPhotoReadLock { try remove() }
    try scratch.folder.write(MD5Collision.other, to: "library/\(path)")
    _ = try scratch.writer()
    #expect(try scratch.folder.bytes("library/\(path)") == MD5Collision.other)
  }

  @Test("Undo: a changed photo with the MD5 of an added one is not counted as removed")
  func changedPhoto() throws {
    var edit = LibraryEdit()
    edit.changedPhotos = try scratch.contents().photos
    edit.changedPhotos[0].name = "renamed"
    try add(MD5Collision.other, as: 2, named: "other.jpg", .merge, edit)
    let summary = try undo()
    #expect(summary.photosRemoved == 1)
    #expect(summary.photosRestored == 0)
    #expect(summary.photosReverted == 1)
    #expect(try scratch.contents().photos.map(\.id) == [1])
  }
}
