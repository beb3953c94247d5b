import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// The pages of a library's database are forged.
struct ForgedPageTests {
  private let scratch: LibraryScratch
  private var database: FilePath { scratch.path.appending("library.sqlite") }

  init() throws {
    scratch = try LibraryScratch(["a.jpg": "a"])
    try scratch.commit(["b.jpg": "b"], firstId: 2)
  }

  private func reason(_ body: () throws -> Void) -> String? {
    let error = #expect(throws: LibraryError.self, performing: body)
    guard case .corruptDatabase(_, let reason)? = error else { return nil }
    return reason
  }

  @Test("Pages: a photo that a tree refers to several times is an error, and no memory is filled with copies")
  func repeatedPhoto() throws {
    try ForgedDatabase.repeatRows(of: "photo", levels: 1, in: database)
    #expect(reason { _ = try scratch.contents() }?.hasPrefix("photo 1: another row has the same id") == true)
  }

  /// A table, and a function that reads it.
  private static let readings: [(String, @Sendable (Library) throws -> Void)] = [
    ("replacedPhoto", { _ = try $0.untrackedFiles() }),
    ("fileMove", { _ = try $0.read { try FileMove.pending(in: $0) } }),
    ("movement", { _ = try $0.contents() }),
    ("category", { _ = try $0.categories() }),
    ("photo", { _ = try $0.totals() }),
    ("photo", { _ = try $0.contents() }),
    ("export", { _ = try $0.exportHistory(at: 5) }),
  ]

  @Test(
    "Pages: more rows than a database has space for are an error, and no memory is filled with them",
    arguments: Self.readings)
  func manyRows(table: String, read: @Sendable (Library) throws -> Void) throws {
    try scratch.sql { database in
      try database.execute(
        sql: """
          INSERT INTO replacedPhoto SELECT (SELECT max(id) FROM change), * FROM photo;
          INSERT INTO fileMove VALUES ('C', 'add', '1', 'photos/x', zeroblob(16));
          INSERT INTO movement (changeId, at, origin) VALUES ((SELECT max(id) FROM change), 1, 'family');
          INSERT INTO export (id, archive, at, photos, archiveBytes, isPartial) VALUES ('E', '/a', 1, 1, 1, 0)
          """)
    }
    try ForgedDatabase.repeatRows(of: table, levels: 6, in: database)
    let reason = reason { try read(Library(path: scratch.path)) }
    #expect(reason?.hasPrefix(table) == true)
    #expect(reason?.contains("there are more rows than the database has space for") == true)
  }

  @Test("Pages: replaced settings that a tree repeats do not stop a writer")
  func repeatedSettings() throws {
    try ForgedDatabase.repeatRows(of: "replacedSettings", levels: 6, in: database)
    #expect(try scratch.writer().library.totals().photos == 2)
  }

  @Test("Pages: a category that a tree refers to several times is an error")
  func repeatedCategory() throws {
    try ForgedDatabase.repeatRows(of: "category", levels: 1, in: database)
    #expect(
      reason { _ = try scratch.contents() }?.hasPrefix("category 1: another row has the same id") == true)
  }

  @Test("Rows: two categories whose names differ only in their normal form are an error")
  func equalCategories() throws {
    try scratch.sql { database in
      try database.execute(
        sql: """
          UPDATE category SET name = 'caf\u{E9}' WHERE id = 1;
          INSERT INTO category SELECT 2, 'cafe\u{301}', displayName, position + 1, iconResource, colorHex, isDefault,
            createdAt, valuesAsOf, arrangedAt FROM category
          """)
    }
    let reason = reason { _ = try scratch.contents() }
    #expect(
      reason == "category 2: another row has the same name")
  }
}
