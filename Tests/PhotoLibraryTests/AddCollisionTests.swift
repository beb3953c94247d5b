import Checksums
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Adding two photos with equal MD5s and different bytes.
struct AddCollisionTests {
  private let scratch: LibraryScratch

  init() throws {
    scratch = try LibraryScratch()
    try scratch.folder.write(MD5Collision.one, to: "in/one.jpg")
    try scratch.folder.write(MD5Collision.other, to: "in/other.jpg")
  }

  @discardableResult
  private func add(_ names: String..., isDryRun: Bool = false) throws -> AddSummary {
    var options = AddOptions()
    options.isDryRun = isDryRun
    let run = AddRun(library: scratch.path, options: options, counter: ProgressCounter())
    return try run.run(names.map { scratch.folder.path("in/\($0).jpg") })
  }

  private func expectBoth(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let bytes = try scratch.contents().photos.map { try scratch.folder.bytes("library/\($0.path)") }
    #expect(Set(bytes) == [MD5Collision.one, MD5Collision.other], sourceLocation: sourceLocation)
    #expect(bytes.count == 2, sourceLocation: sourceLocation)
  }

  @Test(
    "Add: both photos with one MD5 are kept, in every order",
    arguments: [["one", "other"], ["other", "one"]])
  func together(names: [String]) throws {
    #expect(try add(names[0], names[1], isDryRun: true).photosAdded == 2)
    #expect(try add(names[0], names[1]).photosAdded == 2)
    try expectBoth()
  }

  @Test(
    "Add: the second photo with one MD5 is kept, in every order",
    arguments: [["one", "other"], ["other", "one"]])
  func oneAfterTheOther(names: [String]) throws {
    try add(names[0])
    #expect(try add(names[1], isDryRun: true).photosAdded == 1)
    try add(names[1])
    try expectBoth()
    let again = try add(names[0], names[1])
    #expect(again.photosSkipped == 2)
    try expectBoth()
  }

  @Test("Add: a photo without a content tag is compared by its file")
  func olderLibrary() throws {
    try add("one")
    try scratch.sql { try $0.execute(sql: "UPDATE photo SET tag = NULL") }
    #expect(try add("one").photosSkipped == 1)
    #expect(try add("other").photosAdded == 1)
    try expectBoth()
  }

  @Test("Add: a photo whose file is corrupt and that has no content tag is recognized by its MD5")
  func corruptFile() throws {
    try add("one")
    try scratch.sql { try $0.execute(sql: "UPDATE photo SET tag = NULL") }
    let path = try #require(try scratch.contents().photos.first).path
    try scratch.folder.write("corrupt", to: "library/\(path)")
    #expect(try add("one").photosSkipped == 1)
  }

  @Test("Content tags: a photo gets one when it is added")
  func tag() throws {
    try add("one")
    let library = try Library(path: scratch.path)
    let (contents, tags) = try library.contentsAndTags()
    let id = try #require(contents.photos.first).id
    #expect(tags[id] == tags.key.tag(of: MD5Collision.one))
  }

  @Test("Content tags: each library has another key, which stays")
  func key() throws {
    let secrets = try [scratch, LibraryScratch()].map { scratch in
      try scratch.sql { try Data.fetchAll($0, sql: "SELECT secret FROM contentTagKey") }
    }
    #expect(secrets.map(\.count) == [1, 1])
    #expect(secrets[0] != secrets[1])
    _ = try scratch.writer()
    #expect(try scratch.sql { try Data.fetchAll($0, sql: "SELECT secret FROM contentTagKey") } == secrets[0])
  }

  @Test("Content tags: a library without its key is refused by the operations that need it")
  func missingKey() throws {
    try scratch.sql { try $0.execute(sql: "DELETE FROM contentTagKey") }
    #expect(throws: LibraryError.self) { try add("one") }
    #expect(try scratch.contents().photos.isEmpty)
  }
}
