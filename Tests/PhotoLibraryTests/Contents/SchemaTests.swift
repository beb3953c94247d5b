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

  @Test("Schema: a changed statement of the schema needs another version")
  func schemaVersion() {
    #expect(Schema.library.version == 15)
    let digest = MD5Digest(of: Array(Schema.library.statements.utf8))
    #expect("\(digest)" == "be9b46ac245b04a6e1f4a826f68e9f48")
  }

  @Test("Schema: the application ID identifies the database")
  func applicationID() throws {
    let bytes = try scratch.folder.bytes("library/library.sqlite")
    #expect(Array(bytes[68..<72]) == Array("SMPL".utf8))
  }

  @Test(
    "Schema: a library with a wrong version is used, and the next writer corrects the number",
    arguments: [-1, 0, 14, 99])
  func wrongVersion(number: Int) throws {
    try scratch.commit(["a.jpg": "a"])
    try scratch.sql { try $0.execute(sql: "PRAGMA user_version = \(number)") }
    #expect(try scratch.contents().photos.count == 1)
    #expect(try scratch.sql { try Int.fetchOne($0, sql: "PRAGMA user_version") } == number)
    _ = try scratch.writer()
    #expect(try scratch.sql { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 15)
    #expect(try scratch.contents().photos.count == 1)
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
