import Checksums
import Databases
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

struct SchemaTests {
  let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch() }

  @Test("Schema: commits of a writer are durable")
  func pragmas() throws {
    let writer = try scratch.writer()
    let pragmas = ["synchronous", "journal_mode", "foreign_keys"]
    let values = try writer.write { database in
      try pragmas.map { try String.fetchOne(database, sql: "PRAGMA \($0)") }
    }
    #expect(values == ["2", "wal", "1"])
    let later = try writer.library.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    #expect(later == 2)
  }

  @Test("Schema: the application ID identifies the database")
  func applicationID() throws {
    let bytes = try scratch.folder.bytes("library/library.sqlite")
    #expect(Array(bytes[68..<72]) == Array("SMPL".utf8))
  }

  @Test("Schema: every version is migrated to the same schema")
  func migrations() throws {
    let names = Schema.migrator.migrations
    let fromEmpty = try DatabaseQueue()
    try Schema.migrator.migrate(fromEmpty)
    let expected = try fromEmpty.read(Self.schema)
    for name in names {
      let database = try DatabaseQueue()
      try Schema.migrator.migrate(database, upTo: name)
      try Schema.migrator.migrate(database)
      #expect(try database.read(Self.schema) == expected)
      #expect(try database.read { try $0.tableExists("photo") })
    }
    #expect(try !fromEmpty.read(Schema.migrator.hasBeenSuperseded))
  }

  @Test("Schema: the schema of every version is known by its digest")
  func digests() throws {
    let digests = try Schema.migrator.migrations.map { name in
      let database = try DatabaseQueue()
      try Schema.migrator.migrate(database, upTo: name)
      return try database.read(DatabaseSchema.digest)
    }
    #expect(Schema.digests == digests)
  }

  private static func schema(_ database: Database) throws -> [String] {
    try String.fetchAll(database, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
  }

  @Test("Schema: a writer migrates an older library")
  func migratingWriter() throws {
    let path = scratch.path.appending("library.sqlite").string
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    do {
      let old = try DatabaseQueue(path: path)
      try Schema.migrator.migrate(old, upTo: "1 categories, photos, settings")
      try old.write { database in
        try LibraryScratch.insertCategory(into: database)
        try database.execute(
          sql: """
            INSERT INTO settings (id, themeMode, hasPIN, hasPattern, kidSafeModeEnabled,
              deleteProtectionEnabled, createdAt, changedAt, valuesAsOf)
            VALUES (1, 'system', 0, 0, 0, 0, 7, 7, NULL)
            """)
      }
      try old.close()
    }
    let writer = try scratch.writer()
    #expect(try writer.library.contents().categories == [LibraryScratch.category()])
    #expect(try writer.library.contents().settings.createdAt == 7)
    try scratch.commit(["a.jpg": "a"], with: writer)
    #expect(try scratch.rowsWithoutFile().isEmpty)
  }

  /// Puts a library of version 4 in the place of the new one, with a photo, settings, and settings kept for an undo.
  private func makeVersion4(valuesAsOf: String) throws {
    let path = scratch.path.appending("library.sqlite").string
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    let old = try DatabaseQueue(path: path)
    try Schema.migrator.migrate(old, upTo: "4 identity")
    try old.write { database in
      try LibraryScratch.insertCategory(into: database)
      let settings = "'dark', 1, 0, 0, 1, 7, 8, \(valuesAsOf)"
      try database.execute(
        sql: """
          INSERT INTO photo VALUES (3, 1, 'x', 'photos/x.jpg', 'x.jpg', 0, 5, 1, 2, 3, x'\(
            String(repeating: "ab", count: 16))');
          INSERT INTO settings VALUES (1, \(settings));
          INSERT INTO change VALUES ('c', 'merge', 1);
          INSERT INTO replacedSettings VALUES ('c', 1, \(settings))
          """)
    }
    try old.close()
  }

  @Test(
    "Schema: a library of version 4 keeps what its backups stated, for readers and after a writer has migrated it"
  )
  func version4() throws {
    try makeVersion4(valuesAsOf: "9")
    let before = try scratch.contents()
    #expect(before.photos.map(\.id) == [3])
    #expect(before.photos.map(\.isFavorite) == [nil])
    var settings = Settings(createdAt: 7)
    settings.theme = .init(.dark, asOf: 9)
    settings.pin = .init(true, asOf: 9)
    settings.pattern = .init(false, asOf: 9)
    settings.kidSafeMode = false
    settings.deleteProtection = true
    settings.changedAt = 8
    #expect(before.settings == settings)
    _ = try scratch.writer()
    #expect(try scratch.contents() == before)
    let kept = try scratch.sql { try Settings.fetchOne($0, sql: "SELECT * FROM replacedSettings") }
    #expect(kept == settings)
  }

  @Test("Schema: the settings of a library of version 4 that no backup stated are the defaults")
  func defaultsOfVersion4() throws {
    try makeVersion4(valuesAsOf: "NULL")
    let settings = try scratch.contents().settings
    #expect(settings.kidSafeMode == nil)
    #expect(settings.theme == nil)
    _ = try scratch.writer()
    #expect(try scratch.contents().settings == settings)
  }

  @Test(
    "Schema: category names are compared in NFC",
    arguments: [
      ("café", "cafe\u{301}"), ("Å", "\u{212B}"), ("각", "\u{1100}\u{1161}\u{11A8}"), ("plain", "plain"),
    ])
  func normalForm(one: String, other: String) throws {
    let (first, second) = (LibraryScratch.category(1, one), LibraryScratch.category(2, other))
    #expect(Array(first.name.utf8) == Array(second.name.utf8))
    var later = LibraryScratch.category(3, "later")
    later.name = other
    #expect(Array(later.name.utf8) == Array(first.name.utf8))
    try scratch.sql { try first.insert($0) }
    for category in [second, later] {
      let error = #expect(throws: DatabaseError.self) { try scratch.sql { try category.insert($0) } }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
    }
    #expect(try scratch.contents().categories == [first])
  }

  @Test("Schema: category names that differ in case are different")
  func letterCase() throws {
    try scratch.sql { database in
      try LibraryScratch.category(1, "Family").insert(database)
      try LibraryScratch.category(2, "family").insert(database)
    }
    #expect(try scratch.contents().categories.count == 2)
  }

  @Test(
    "Schema: names of categories are formed as in the apps",
    arguments: [
      ("Family", "family"), ("Summer 2025", "summer_2025"), ("É cole", "é_cole"), ("cafe\u{301}", "café"),
      ("", ""), ("a  b", "a__b"), ("生日", "生日"),
    ])
  func categoryNames(displayName: String, name: String) {
    #expect(Category.name(forDisplayName: displayName) == name)
  }

  @Test("Schema: categories are ordered by position, then ID")
  func categoryOrder() throws {
    try scratch.sql { database in
      for (id, position) in [(1, 2), (2, 0), (3, 1), (4, 0)] as [(Int64, Int)] {
        var category = LibraryScratch.category(id, "c\(id)")
        category.position = position
        try category.insert(database)
      }
    }
    #expect(try scratch.contents().categories.map(\.id) == [2, 4, 3, 1])
  }

  @Test(
    "Schema: invalid photos are refused",
    arguments: [
      (isFromAssets: true, md5: LibraryScratch.digest("x"), size: 1, category: 1),
      (isFromAssets: false, md5: nil, size: 1, category: 1),
      (isFromAssets: false, md5: LibraryScratch.digest("x"), size: -1, category: 1),
      (isFromAssets: false, md5: LibraryScratch.digest("x"), size: 1, category: 2),
    ] as [(isFromAssets: Bool, md5: MD5Digest?, size: Int, category: Int64)])
  func invalidPhotos(
    isFromAssets: Bool, md5: MD5Digest?, size: Int, category: Int64
  ) throws {
    try scratch.sql { try LibraryScratch.category().insert($0) }
    let photo = Photo(
      id: 1, categoryId: category, name: "x", path: "photos/x", originalPath: "x", isFromAssets: isFromAssets,
      createdAt: 0, fileSize: size, md5: md5)
    let error = #expect(throws: DatabaseError.self) { try scratch.sql { try photo.insert($0) } }
    #expect(error?.resultCode == .SQLITE_CONSTRAINT)
  }

  @Test("Schema: only assets share paths")
  func uniquePaths() throws {
    try scratch.sql { database in
      try LibraryScratch.category().insert(database)
      for id in 1...2 as ClosedRange<Int64> {
        try Photo(
          id: id, categoryId: 1, name: "balloon", path: "sample_images/balloon.png",
          originalPath: "balloon.png",
          isFromAssets: true, createdAt: 0, fileSize: 0, md5: nil
        ).insert(database)
      }
      try LibraryScratch.photo(3, "photos/a.jpg", "a").insert(database)
    }
    let error = #expect(throws: DatabaseError.self) {
      try scratch.sql { try LibraryScratch.photo(4, "photos/a.jpg", "b").insert($0) }
    }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
  }

  @Test("Schema: every value of a photo is read as it was written")
  func roundTrip() throws {
    var photo = LibraryScratch.photo(1 << 53, "photos/2025/10/é 生日.jpg", "x", createdAt: -5)
    photo.width = 4032
    photo.height = 3024
    photo.originalPath = "/data/user/0/com.smilepile/files/photos/é 生日.jpg"
    photo.isFavorite = true
    photo.shipsWithApp = true
    var category = LibraryScratch.category()
    category.iconResource = "ic_star"
    category.colorHex = "#FF00AA"
    category.isDefault = true
    try scratch.sql { [photo, category] database in
      try category.insert(database)
      try photo.insert(database)
    }
    #expect(try scratch.contents().photos == [photo])
    #expect(try scratch.contents().categories == [category])
    #expect(photo.fileName == "é 生日.jpg")
  }
}
