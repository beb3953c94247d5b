import Checksums
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Reads and replaces damaged databases.
@Suite struct SalvagedDatabaseTests {
  private let scratch: LibraryScratch
  private var database: FilePath { scratch.path.appending("library.sqlite") }
  private static var rules: Data { Data(repeating: 7, count: 32) }

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
  }

  /// Inserts rows into every table that a rebuild reads. Between the two exports, the clock was set back.
  private func fill() throws {
    let (x, y) = (LibraryScratch.digest("x"), LibraryScratch.digest("y"))
    let photo = "categoryId, name, path, originalPath, isFromAssets, createdAt, fileSize, width, height, md5"
    try scratch.sql { database in
      try LibraryScratch.insertCategory(into: database)
      try database.execute(
        sql: """
          INSERT INTO photo (id, \(photo)) VALUES
            (3, 1, 'x', 'photos/x.jpg', 'x.jpg', 0, 5, 1, 2, 3, ?),
            (4, 1, 'balloon', 'sample/balloon.png', 'balloon.png', 1, 6, 1, 2, 3, NULL);
          UPDATE settings SET themeMode = 'dark', themeModeAsOf = 9, changedAt = createdAt;
          INSERT INTO export (id, archive, at, photos, archiveBytes, isPartial, sequence, categories, changes, library)
          VALUES ('first', '/a', 10, 1, 1, 0, 10, 1, 1, 'before a reset'),
            ('second', '/b', 5, 1, 1, 1, 11, 1, 1, (SELECT uuid FROM identity));
          INSERT INTO change VALUES ('c', 'remove', 8), ('s', 'sort', 9);
          INSERT INTO replacedPhoto (changeId, id, \(photo))
          VALUES ('c', 5, 1, 'y', 'photos/y.jpg', 'y.jpg', 0, 5, 1, 2, 3, ?);
          INSERT INTO pin VALUES (1, zeroblob(32), zeroblob(32), 1000, 0, 0);
          INSERT INTO movement (changeId, at, md5, size, origin, destination)
          VALUES ('c', 8, ?, 1, 'family', NULL), ('s', 9, ?, 1, 'cars', 'family');
          INSERT INTO sortMark SELECT uuid, 'family', ?, ? FROM identity;
          INSERT INTO dismissal SELECT uuid, 'a 1', 'b 2', 'c' FROM identity
          """,
        arguments: [Data(x.bytes), Data(y.bytes), Data(y.bytes), Data(x.bytes), "\(x) 1", Self.rules])
    }
    try scratch.folder.write("x", to: "library/photos/x.jpg")
  }

  /// Returns the values of the intact library.
  private func values() throws -> (values: Values, id: String?) {
    let library = try Library(path: scratch.path)
    return try (library.read { try Values($0) }, library.libraryID())
  }

  private func salvaged() throws -> SalvagedRows {
    // a wrong index makes the database unusable, and loses no row
    try ForgedDatabase.execute("CREATE INDEX odd ON photo(name)", in: database)
    return try LostLibrary(path: scratch.path, isReadOnly: true).salvagedRows()
  }

  @Test("Salvaged rows: all rows of a database with a wrong index are read")
  func rows() throws {
    try fill()
    let expected = try values()
    let rows = try salvaged()
    #expect(try Values(rows) == expected.values)
    #expect(rows.libraryID == expected.id)
    #expect(rows.knowsPIN)
    #expect(rows.pin != nil)
    #expect(rows.hasAllPhotos)
    #expect(rows.hasAllCategories)
  }

  @Test("Reconstruction: a damaged database is replaced by one with the same rows")
  func reconstruction() throws {
    try fill()
    try reconstruct()
  }

  private func reconstruct() throws {
    let expected = try values()
    let rows = try salvaged()
    let lost = try LostLibrary(path: scratch.path, isReadOnly: false)
    let reconstruction = try LibraryReconstruction(of: lost, rows)
    var rebuilt = RebuiltContents(try Values(rows).contents)
    (rebuilt.libraryID, rebuilt.exports, rebuilt.sorting) = (rows.libraryID, rows.exports, rows.sorting)
    rebuilt.dismissals = rows.dismissals
    _ = try reconstruction.commit(rebuilt, [])
    let library = try Library(path: scratch.path)
    var actual = try library.read { try Values($0) }
    for index in actual.exports.indices {
      actual.exports[index].changes = expected.values.exports[index].changes
    }
    #expect(actual == expected.values)
    #expect(try library.libraryID() == expected.id)
    #expect(try library.hasPIN())
    #expect(try library.read { try UndoStack($0).kept } == [])
    #expect(try library.read { try $0.rowCount(of: "replacedIdentity") } == 0)
    #expect(try Library.databaseFault(in: Library.openFolder(scratch.path)) == nil)
  }

  @Test(
    "Reconstruction: photos that sort considered are not considered again, and may be moved by other rules")
  func sortHistory() throws {
    try fill()
    let before = try scratch.sql { try SortHistory($0, rules: Self.rules) }
    try reconstruct()
    let after = try Library(path: scratch.path).read { try SortHistory($0, rules: Self.rules) }
    #expect(after.considered == before.considered)
    #expect(after.considered.count == 1)
    #expect(after.movedByPerson == before.movedByPerson)
    #expect(after.movedByPerson.isEmpty)
  }

  @Test("Reconstruction: exports before a reset do not count, as before")
  func exportsBeforeReset() throws {
    try reconstruction()
    #expect(try Library(path: scratch.path).exportHistory(at: 1).earlierIDs == ["second"])
  }

  @Test("Salvaged rows: a corrupt schema that has lost the tables of movements and of the PIN loses both")
  func lostTables() throws {
    try fill()
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
    try fill()
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
    arguments: ["pin", "settings", "movement", "identity"])
  func emptiedPage(table: String) throws {
    try fill()
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
  }

  @Test("Lost library: a library with a damaged name of a column is lost")
  func damagedColumnNames() throws {
    try fill()
    let files = try scratch.databaseFiles()
    let columns = try scratch.sql { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT tables.name AS tableName, columns.name AS columnName
          FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'
          """
      ).map { (table: $0["tableName"] as String, column: $0["columnName"] as String) }
    }
    #expect(columns.count > 80)
    for (table, column) in columns {
      try scratch.restore(files)
      try scratch.sql { database in
        try database.execute(
          sql: """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE tbl_name = ?
            """, arguments: [column, "Z\(column.dropFirst())", table])
      }
      #expect(throws: LibraryError.self, "\(table).\(column)") { try Library(path: scratch.path) }
      #expect(throws: Never.self, "\(table).\(column)") {
        try LostLibrary(path: scratch.path, isReadOnly: true).salvagedRows()
      }
    }
  }

  @Test("Lost library: a database whose header has an unknown format is lost")
  func unknownFormat() throws {
    try ForgedDatabase.execute("PRAGMA wal_checkpoint(TRUNCATE)", in: database)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: database.string))
    // https://www.sqlite.org/fileformat.html#schema_format_number
    try file.seek(toOffset: 44)
    try file.write(contentsOf: [0, 0, 0, 9])
    try file.close()
    let error = #expect(throws: LibraryError.self) { try Library(path: scratch.path) }
    #expect(error?.remedy == .rebuildLibrary(scratch.path.string))
    _ = try LostLibrary(path: scratch.path, isReadOnly: true)
  }

  @Test(
    "Lost library: a row that a command cannot use is a fault",
    arguments: [
      "UPDATE export SET photos = -1", "UPDATE change SET kind = 'x'", "UPDATE pin SET rounds = 0",
      "UPDATE identity SET uuid = 'x'", "DELETE FROM identity", "UPDATE settings SET changedAt = x'01'",
      "UPDATE category SET position = 'x'", "UPDATE photo SET md5 = x'00' WHERE id = 3",
      "CREATE TABLE other (id)",
    ])
  func unusableRow(sql: String) throws {
    try fill()
    #expect(try Library.databaseFault(in: Library.openFolder(scratch.path)) == nil)
    try ForgedDatabase.execute(sql, in: database)
    #expect(try Library.databaseFault(in: Library.openFolder(scratch.path)) != nil)
  }
}
