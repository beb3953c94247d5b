import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// The schema of a library's database is not the one that this program made.
struct UntrustedSchemaTests {
  private let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch(["a.jpg": "a"]) }

  @Test(
    "Schema: a database with anything else is refused by its name, and unchanged",
    arguments: [
      (
        "CREATE TRIGGER loss AFTER INSERT ON export BEGIN DELETE FROM photo; END",
        "the trigger “loss” is not part of its schema"
      ),
      ("CREATE VIEW everything AS SELECT * FROM photo", "the view “everything” is not part of its schema"),
      ("CREATE TABLE notes (text)", "the table “notes” is not part of its schema"),
      ("DROP TABLE movement", "the table “movement” is missing"),
      ("CREATE INDEX extra ON photo(name)", "the index “extra” is not part of its schema"),
      ("DROP INDEX photoPath", "the index “photoPath” is missing"),
      ("ALTER TABLE photo ADD COLUMN extra TEXT", "the table “photo” was changed"),
      ("ALTER TABLE pin RENAME TO pins", "the table “pins” is not part of its schema"),
      (
        """
        ALTER TABLE photo RENAME TO stored;
        CREATE VIEW photo AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x AS id FROM n
        """, "the view “photo” was changed"
      ),
      (
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'identity (', 'identity  (') WHERE name = 'identity'
        """, "the table “identity” was changed"
      ),
    ])
  func foreign(sql: String, reason: String) throws {
    try scratch.sql { try $0.execute(sql: sql) }
    let before = try scratch.folder.bytes("library/library.sqlite")
    for open in [{ _ = try Library(path: scratch.path) }, { _ = try scratch.writer() }] {
      let error = #expect(throws: LibraryError.self, performing: open)
      guard case .corruptDatabase(_, let found)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(found == "\(reason)")
    }
    #expect(try scratch.folder.bytes("library/library.sqlite") == before)
  }

  @Test("Schema: a database without tables is refused")
  func empty() throws {
    try scratch.sql { database in
      try database.execute(sql: "PRAGMA foreign_keys = OFF")
      for table in try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      {
        try database.execute(sql: "PRAGMA defer_foreign_keys = ON; DELETE FROM \"\(table)\"")
      }
    }
    let file = scratch.path.appending("library.sqlite").string
    let database = try DatabaseQueue(path: file)
    try database.erase()
    try database.write { try $0.execute(sql: "PRAGMA application_id = \(Schema.library.applicationID)") }
    try database.close()
    #expect(throws: LibraryError.self) { try Library(path: scratch.path) }
  }

  @Test("Schema: the statistics that SQLite keeps are no other schema")
  func statistics() throws {
    try scratch.sql { try $0.execute(sql: "ANALYZE") }
    #expect(try scratch.contents().photos.count == 1)
    try scratch.commit(["b.jpg": "b"], firstId: 2)
    #expect(try scratch.contents().photos.count == 2)
  }

  @Test(
    "Schema: anything else with the name of the statistics is refused",
    arguments: [
      ("trigger", "CREATE TRIGGER sqlite_stat1 AFTER INSERT ON export BEGIN DELETE FROM photo; END"),
      ("table", "CREATE TABLE sqlite_stat1(tbl,idx,stat,extra)"),
    ])
  func forgedStatistics(type: String, statement: String) throws {
    try scratch.sql { database in
      try database.execute(sql: "PRAGMA writable_schema = ON")
      try database.execute(
        sql: "INSERT INTO sqlite_schema VALUES (?, 'sqlite_stat1', ?, ?, ?)",
        arguments: [type, type == "table" ? "sqlite_stat1" : "export", type == "table" ? 2 : 0, statement])
    }
    let error = #expect(throws: LibraryError.self) { try Library(path: scratch.path) }
    #expect(error?.description.contains("the \(type) “sqlite_stat1” is not part of its schema") == true)
  }

  @Test("Schema: connections ignore triggers and views, and distrust functions of the schema")
  func settings() throws {
    let writer = try scratch.writer()
    try writer.write { database in
      #expect(try Bool.fetchOne(database, sql: "PRAGMA trusted_schema") == false)
      #expect(try Bool.fetchOne(database, sql: "PRAGMA cell_size_check") == true)
      try database.execute(sql: "CREATE VIEW everything AS SELECT * FROM photo")
      #expect(throws: DatabaseError.self) { try Row.fetchAll(database, sql: "SELECT * FROM everything") }
      try database.execute(
        sql: "CREATE TRIGGER loss AFTER INSERT ON export BEGIN DELETE FROM settings; END")
      try database.execute(
        sql: """
          INSERT INTO export (id, archive, at, photos, archiveBytes, isPartial) VALUES ('E', '/a', 1, 1, 1, 0);
          DROP TRIGGER loss;
          DROP VIEW everything
          """)
      #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM settings") == 1)
      #expect(throws: DatabaseError.self) {
        try database.execute(sql: "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema")
      }
    }
  }

  @Test("State files: a staged file of terabytes does not stop a writer")
  func hugeStagedFile() throws {
    let name = "library/.staging/\(LibraryScratch.interrupted)/0"
    try scratch.folder.write("", to: name)
    try Directory.open(scratch.path).open(FilePath(String(name.dropFirst(8))), .readWrite).resize(to: 4 << 40)
    let writer = try LibraryWriter(path: scratch.path, leftovers: .keep)
    #expect(try writer.library.contents().photos.count == 1)
  }
}
