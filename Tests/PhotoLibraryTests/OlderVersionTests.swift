import Foundation
import GRDB
import Operations
import TestSupport
import Testing

@testable import PhotoLibrary

/// Reads libraries of every version before a writer migrates them.
@Suite struct OlderVersionTests {
  private let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch() }

  /// Puts a library of a version in the place of the new one: with a photo, and two exports of which the clock was set
  /// back between.
  private func makeVersion(_ migration: String) throws -> Library {
    try scratch.makeVersion(migration) { database in
      try LibraryScratch.insertCategory(into: database)
      try database.execute(
        sql: """
          INSERT INTO photo (
            id, categoryId, name, path, originalPath, isFromAssets, createdAt, fileSize, width, height, md5
          ) VALUES (3, 1, 'x', 'photos/x.jpg', 'x.jpg', 0, 5, 1, 2, 3, ?)
          """, arguments: [Data(LibraryScratch.digest("x").bytes)])
      let isOptional = try database.columns(in: "settings").contains { $0.name == "themeModeAsOf" }
      let flags = "themeMode, hasPIN, hasPattern, kidSafeModeEnabled, deleteProtectionEnabled, "
      try database.execute(
        sql: """
          INSERT INTO settings (id, \(isOptional ? "" : flags)createdAt, changedAt)
          VALUES (1, \(isOptional ? "" : "'system', 0, 0, 0, 0, ")7, 7)
          """)
      guard try database.tableExists("export") else { return }
      try database.execute(
        sql: """
          INSERT INTO export (id, archive, at, photos, archiveBytes, isPartial)
          VALUES ('first', '/a', 10, 1, 1, 0), ('second', '/b', 5, 1, 1, 0)
          """)
      if try database.columns(in: "export").contains(where: { $0.name == "sequence" }) {
        try database.execute(sql: "UPDATE export SET sequence = iif(id = 'first', 10, 11)")
      }
      if try database.columns(in: "export").contains(where: { $0.name == "library" }) {
        try database.execute(sql: "UPDATE export SET library = (SELECT uuid FROM identity)")
      }
    }
    try scratch.folder.write("x", to: "library/photos/x.jpg")
    return try Library(path: scratch.path)
  }

  @Test("Older versions: every reading function works", arguments: Schema.migrator.migrations)
  func readers(migration: String) throws {
    let library = try makeVersion(migration)
    #expect(try library.contents().photos.map(\.id) == [3])
    #expect(try library.contentsTagsAndChanges().contents.photos.map(\.id) == [3])
    #expect(try library.contentsAndTags().tags[3] == nil)
    #expect(try library.totals().photos == 1)
    #expect(try library.deletions(since: 0).isEmpty)
    #expect(try library.untrackedFiles().isEmpty)
    #expect(try library.stagedFiles().count == 0)
    #expect(try !library.hasPIN())
    _ = try library.libraryID()
    let hasExports = migration != Schema.migrator.migrations.first
    #expect(try library.exportIDs() == (hasExports ? ["first", "second"] : []))
    #expect(try library.lastExport()?.id == (hasExports ? "second" : nil))
    _ = try library.photosAdded(sinceArchive: ["first"])
  }

  @Test(
    "Older versions: exports are ordered, and an export is recorded", arguments: Schema.migrator.migrations)
  func exports(migration: String) throws {
    let library = try makeVersion(migration)
    let hasExports = migration != Schema.migrator.migrations.first
    let history = try library.exportHistory(at: 1)
    #expect(history.earlierIDs == (hasExports ? ["first", "second"] : []))
    #expect(hasExports ? history.sequence > 10 : history.sequence == 1)
    try library.note([
      ExportRecord(
        id: "third", archive: "/c", at: 1, sequence: history.sequence, photos: 1, archiveBytes: 1,
        isPartial: false)
    ])
    let migrated = try Library(path: scratch.path)
    #expect(try migrated.exportHistory(at: 1).earlierIDs == history.earlierIDs + ["third"])
    #expect(try migrated.contents().photos.map(\.id) == [3])
  }
}
