import Checksums
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Reads and replaces damaged databases of every version.
@Suite struct SalvagedVersionTests {
  private let scratch: LibraryScratch
  private var database: FilePath { scratch.path.appending("library.sqlite") }
  private static let rules = Data(repeating: 7, count: 32)

  init() throws { scratch = try LibraryScratch() }

  /// The values of a library that a rebuild keeps.
  private struct Values: Equatable {
    var contents: LibraryContents
    var exports: [ExportRecord]
    var marks: [SortMarkRow] = []
    var placesOfSort: Set<Int> = []
    var dismissals: Set<Dismissal> = []

    init(_ database: Database) throws {
      contents = try LibraryContents(database)
      exports = try ExportRecord.fetchAll(database, sql: "SELECT * FROM export ORDER BY rowid")
      marks = try SortMarkRow.fetchAll(database)
      placesOfSort = try Movement.fetchPlacesOfSort(database)
      dismissals = try Dismissal.fetchAll(database)
    }

    init(_ rows: SalvagedRows) throws {
      contents = LibraryContents(
        categories: rows.categories, photos: rows.photos, settings: try #require(rows.settings))
      contents.movements = try #require(rows.movements)
      (exports, marks, placesOfSort) = (rows.exports, rows.sorting.marks, rows.sorting.movements)
      dismissals = rows.dismissals
    }

    /// The values without the library ID of exports, which older versions do not record.
    var withoutLibraryIDs: Values {
      var values = self
      for index in values.exports.indices { values.exports[index].libraryID = nil }
      return values
    }
  }

  /// Puts a database of a version in the place of the new one, with rows in every table that a rebuild reads.
  private func makeVersion(_ migration: String) throws {
    try scratch.makeVersion(migration) { database in
      func has(_ column: String, _ table: String) throws -> Bool {
        try database.tableExists(table) && database.columns(in: table).contains { $0.name == column }
      }
      try LibraryScratch.insertCategory(into: database)
      let (x, y) = (LibraryScratch.digest("x"), LibraryScratch.digest("y"))
      let photo =
        "categoryId, name, path, originalPath, isFromAssets, createdAt, fileSize, width, height, md5"
      try database.execute(
        sql: """
          INSERT INTO photo (id, \(photo)) VALUES
            (3, 1, 'x', 'photos/x.jpg', 'x.jpg', 0, 5, 1, 2, 3, ?),
            (4, 1, 'balloon', 'sample/balloon.png', 'balloon.png', 1, 6, 1, 2, 3, NULL)
          """, arguments: [Data(x.bytes)])
      let isOptional = try has("themeModeAsOf", "settings")
      try database.execute(
        sql: isOptional
          ? "INSERT INTO settings (id, themeMode, themeModeAsOf, createdAt, changedAt) VALUES (1, 'dark', 9, 7, 7)"
          : "INSERT INTO settings VALUES (1, 'dark', 1, 0, 0, 1, 7, 8, 9)")
      if try has("id", "export") { try Self.insertExports(database) }
      if try has("id", "change") {
        try database.execute(
          sql: """
            INSERT INTO change VALUES ('c', 'remove', 8);
            INSERT INTO replacedPhoto (changeId, id, \(photo))
            VALUES ('c', 5, 1, 'y', 'photos/y.jpg', 'y.jpg', 0, 5, 1, 2, 3, ?)
            """, arguments: [Data(y.bytes)])
      }
      if try has("category", "deletion") {
        try database.execute(
          sql: """
            INSERT INTO deletion VALUES
              ('c', 8, 'family', ?, NULL), ('c', 8, 'family', NULL, 'sample/x.png'), ('c', 8, 'cars', NULL, NULL)
            """, arguments: [Data(y.bytes)])
      }
      if try has("id", "pin") {
        try database.execute(sql: "INSERT INTO pin VALUES (1, zeroblob(16), zeroblob(32), 1000, 0, 0)")
      }
      if try has("tag", "photo") {
        try database.execute(sql: "UPDATE photo SET tag = zeroblob(16) WHERE id = 3")
      }
      if try has("origin", "movement") {
        try database.execute(
          sql: """
            INSERT INTO change VALUES ('s', 'sort', 9);
            INSERT INTO movement (changeId, at, md5, size, origin, destination) VALUES
              ('c', 8, ?, 1, 'family', NULL), ('c', 8, ?, NULL, 'family', NULL), ('s', 9, ?, 1, 'cars', 'family')
            """, arguments: [Data(y.bytes), Data(y.bytes), Data(x.bytes)])
      }
      if try has("rules", "sortMark") {
        try database.execute(
          sql: "INSERT INTO sortMark SELECT uuid, 'family', ?, ? FROM identity",
          arguments: ["\(x) 1", Self.rules])
      }
      if try has("other", "dismissal") {
        try database.execute(
          sql: "INSERT INTO dismissal SELECT uuid, 'a 1', 'b 2', 'c' FROM identity")
      }
      if try has("library", "export") {
        try database.execute(
          sql: "UPDATE export SET library = iif(id = 'first', 'before a reset', (SELECT uuid FROM identity))")
      }
    }
    try scratch.folder.write("x", to: "library/photos/x.jpg")
  }

  /// Inserts two exports, between which the clock was set back.
  private static func insertExports(_ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO export (id, archive, at, photos, archiveBytes, isPartial)
        VALUES ('first', '/a', 10, 1, 1, 0), ('second', '/b', 5, 1, 1, 1)
        """)
    let columns = try database.columns(in: "export").map(\.name)
    if columns.contains("sequence") {
      try database.execute(sql: "UPDATE export SET sequence = iif(id = 'first', 10, 11)")
    }
    if columns.contains("changes") {
      try database.execute(sql: "UPDATE export SET categories = 1, changes = 1")
    }
  }

  /// Returns what a migration makes of the database, and leaves the database as it was.
  private func migrated() throws -> (values: Values, id: String?, tags: [Int64: ContentTag]) {
    let files = try scratch.databaseFiles()
    defer { try? scratch.restore(files) }
    do { _ = try scratch.writer() }
    let library = try Library(path: scratch.path)
    return try (library.read { try Values($0) }, library.libraryID(), library.contentTags().byID)
  }

  private func salvaged() throws -> SalvagedRows {
    // a wrong index makes the database unusable, and loses no row
    try ForgedDatabase.execute("CREATE INDEX odd ON photo(name)", in: database)
    return try LostLibrary(path: scratch.path, isReadOnly: true).salvagedRows()
  }

  @Test(
    "Salvaged rows: the rows of every version are those that a migration makes",
    arguments: Schema.migrator.migrations)
  func rows(migration: String) throws {
    try makeVersion(migration)
    let expected = try migrated()
    let version = try #require(Schema.migrator.migrations.firstIndex(of: migration)) + 1
    let rows = try salvaged()
    let isNewest = version >= 13
    let (actual, wanted) = (try Values(rows), expected.values)
    #expect(
      (isNewest ? actual : actual.withoutLibraryIDs) == (isNewest ? wanted : wanted.withoutLibraryIDs))
    #expect(rows.libraryID == (version >= 4 ? expected.id : nil))
    #expect(Set(rows.tags.keys) == Set(expected.tags.keys))
    #expect(rows.knowsPIN)
    #expect((rows.pin != nil) == (version >= 3))
    #expect(rows.hasAllPhotos)
    #expect(rows.hasAllCategories)
  }

  @Test(
    "Reconstruction: a damaged database of every version is replaced by one of the newest version with the same rows",
    arguments: Schema.migrator.migrations)
  func reconstruction(migration: String) throws {
    try makeVersion(migration)
    let expected = try migrated()
    let rows = try salvaged()
    let lost = try LostLibrary(path: scratch.path, isReadOnly: false)
    let reconstruction = LibraryReconstruction(of: lost, rows)
    try reconstruction.begin()
    var rebuilt = RebuiltContents(try Values(rows).contents)
    (rebuilt.libraryID, rebuilt.exports, rebuilt.sorting) = (rows.libraryID, rows.exports, rows.sorting)
    rebuilt.dismissals = rows.dismissals
    _ = try reconstruction.commit(rebuilt, [])
    let library = try Library(path: scratch.path)
    var (actual, wanted) = (try library.read { try Values($0) }, expected.values)
    // the library ID of versions before 4 is a new one
    if rows.libraryID == nil { (actual, wanted) = (actual.withoutLibraryIDs, wanted.withoutLibraryIDs) }
    for index in actual.exports.indices { actual.exports[index].changes = wanted.exports[index].changes }
    #expect(actual == wanted)
    #expect(try rows.libraryID == nil || library.libraryID() == expected.id)
    #expect(try library.hasPIN() == (rows.pin != nil))
    #expect(try library.read { try UndoStack($0).kept } == [])
    #expect(try library.read { try $0.rowCount(of: "replacedIdentity") } == 0)
    #expect(try Library.databaseFault(in: Library.openFolder(scratch.path)) == nil)
  }

  @Test(
    "Reconstruction: photos that sort considered are not considered again, and may be moved by other rules")
  func sortHistory() throws {
    try makeVersion(Schema.migrator.migrations.last ?? "")
    let before = try scratch.sql { try SortHistory($0, rules: Self.rules) }
    try reconstruction(migration: Schema.migrator.migrations.last ?? "")
    let after = try Library(path: scratch.path).read { try SortHistory($0, rules: Self.rules) }
    #expect(after.considered == before.considered)
    #expect(after.considered.count == 1)
    #expect(after.movedByPerson == before.movedByPerson)
    #expect(after.movedByPerson.isEmpty)
  }

  @Test("Reconstruction: exports before a reset do not count, as before")
  func exportsBeforeReset() throws {
    try reconstruction(migration: Schema.migrator.migrations.last ?? "")
    #expect(try Library(path: scratch.path).exportHistory(at: 1).earlierIDs == ["second"])
  }

  @Test("Salvaged rows: a corrupt schema that has lost the tables of movements and of the PIN loses both")
  func lostTables() throws {
    try makeVersion(Schema.migrator.migrations.last ?? "")
    try ForgedDatabase.execute("DROP TABLE movement; DROP TABLE pin", in: database)
    let rows = try LostLibrary(path: scratch.path, isReadOnly: true).salvagedRows()
    #expect(rows.movements == nil)
    #expect(!rows.knowsPIN)
    #expect(rows.photos.count == 2)
  }

  @Test(
    "Salvaged rows: settings in a table whose definition has another column cannot be read",
    arguments: ["deleteProtectionEnabled", "themeModeAsOf", "hasPIN"])
  func damagedDefinition(column: String) throws {
    try makeVersion(Schema.migrator.migrations.last ?? "")
    try scratch.sql { database in
      try database.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET sql = replace(sql, '\(column)', 'Z\(column.dropFirst())')
          WHERE name = 'settings'
          """)
    }
    let rows = try salvaged()
    #expect(rows.settings == nil)
    #expect(rows.photos.count == 2)
  }

  @Test(
    "Salvaged rows: a page without rows is not taken for an empty table",
    arguments: ["pin", "settings", "movement", "identity", "contentTagKey"])
  func emptiedPage(table: String) throws {
    try makeVersion(Schema.migrator.migrations.last ?? "")
    try ForgedDatabase.execute("PRAGMA wal_checkpoint(TRUNCATE)", in: database)
    let page = try scratch.sql { database in
      try #require(
        try Int.fetchOne(
          database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [table]))
    }
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: database.string))
    // the number of cells: https://www.sqlite.org/fileformat.html#b_tree_pages
    try file.seek(toOffset: UInt64((page - 1) * 4096 + 3))
    try file.write(contentsOf: [0, 0])
    try file.close()
    let rows = try salvaged()
    #expect(rows.knowsPIN == (table != "pin"))
    #expect((rows.settings == nil) == (table == "settings"))
    #expect((rows.movements == nil) == (table == "movement"))
    #expect((rows.libraryID == nil) == (table == "identity"))
    #expect(rows.tags.isEmpty == (table == "contentTagKey"))
    // without the key, no tag of a movement means anything
    let tags = (rows.movements ?? []).contains { $0 != $0.withoutTag }
    #expect(!tags || table != "contentTagKey")
  }

  @Test(
    "Lost library: a row that a command cannot use is a fault",
    arguments: [
      "UPDATE export SET photos = -1", "UPDATE change SET kind = 'x'", "UPDATE pin SET rounds = 0",
      "UPDATE identity SET uuid = 'x'", "DELETE FROM identity", "UPDATE settings SET changedAt = x'01'",
      "UPDATE category SET position = 'x'", "UPDATE photo SET md5 = x'00' WHERE id = 3",
      "INSERT INTO grdb_migrations VALUES ('unknown')", "PRAGMA user_version = 99",
    ])
  func unusableRow(sql: String) throws {
    try makeVersion(Schema.migrator.migrations.last ?? "")
    #expect(try Library.databaseFault(in: Library.openFolder(scratch.path)) == nil)
    try ForgedDatabase.execute(sql, in: database)
    #expect(try Library.databaseFault(in: Library.openFolder(scratch.path)) != nil)
  }
}
