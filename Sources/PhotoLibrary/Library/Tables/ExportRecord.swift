internal import Databases
internal import GRDB

/// The library's record of an archive that was made of it.
public struct ExportRecord: Sendable, Equatable {
  /// The archive's UUID, as in its metadata.
  public var id: String
  /// The absolute path that it was written to.
  public var archive: String
  /// The time.
  public var at: Timestamp
  /// The place of the archive among the exports of the library; see `ExportHistory`.
  public var sequence: Int64
  /// The number of its photos.
  public var photos: Int
  /// The archive's length in bytes.
  public var archiveBytes: Int
  /// True if it contains only a part of the library.
  public var isPartial: Bool
  /// The ID of the library that it was made of; nil for that of the library with the record.
  public var libraryID: String?
  /// The number of its categories; nil if it is unknown.
  public var categories: Int?
  /// The number of changes of the library up to the export; nil if it is unknown.
  package var changes: Int?

  /// Makes a record of these parts.
  public init(
    id: String, archive: String, at: Timestamp, sequence: Int64, photos: Int, archiveBytes: Int,
    isPartial: Bool
  ) {
    self.id = id
    self.archive = archive
    self.at = at
    self.sequence = sequence
    self.photos = photos
    self.archiveBytes = archiveBytes
    self.isPartial = isPartial
  }
}

extension ExportRecord: StoredRow {
  /// The table of exports.
  static let databaseTableName = "export"

  /// Reads a row of `export`.
  init(_ row: RowReader) throws {
    id = try row.text("id")
    archive = try row.text("archive")
    at = try row.time("at")
    sequence = try row.integer("sequence")
    photos = try row.count("photos")
    archiveBytes = try row.count("archiveBytes")
    isPartial = try row.flag("isPartial")
    (categories, changes) = (try row.optionalCount("categories"), try row.optionalCount("changes"))
    libraryID = try row.optionalText("library")
  }

  /// Fills a row of `export`.
  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["archive"] = archive
    container["at"] = at
    container["sequence"] = sequence
    container["photos"] = photos
    container["archiveBytes"] = archiveBytes
    container["isPartial"] = isPartial
  }

  /// The condition for the exports of the library itself. Those of the ID before a reset do not count.
  static let isOwn = "library IS (SELECT uuid FROM identity)"
}

extension ExportRecord {
  /// Inserts the record.
  func record(in database: Database) throws {
    try insert(database)
    try database.execute(
      sql: """
        UPDATE export SET categories = ?, changes = ?, library = coalesce(?, (SELECT uuid FROM identity))
        WHERE id = ?
        """, arguments: [categories, changes, libraryID, id])
  }
}

extension Library {
  /// Returns the last archive of the whole library, by order and not by date; nil if there is none.
  public func lastExport() throws -> ExportRecord? {
    try read { database in
      try ExportRecord.fetchOne(
        database,
        sql: """
          SELECT * FROM export WHERE NOT isPartial AND \(ExportRecord.isOwn) ORDER BY rowid DESC LIMIT 1
          """)
    }
  }

  /// Returns the paths of the archives that were made of the library since its last reset, newest first. Blocks.
  package func exportedArchives() throws -> [String] {
    try read { database in
      try database.rows(
        "SELECT archive FROM export WHERE \(ExportRecord.isOwn) ORDER BY rowid DESC", of: "export"
      ) { try $0.text("archive", at: 0) }
    }
  }

  /// Records archives, in a short transaction that needs no `library.lock`: SQLite's lock serializes it with a writer.
  /// Replaces what `reserve(_:)` recorded of them.
  public func note(_ exports: [ExportRecord]) throws {
    try changeExports { database in
      for export in exports {
        try export.deleteReservation(database)
        try export.record(in: database)
      }
    }
  }

  /// Records archives that are about to be published: each later export gets a greater sequence number, and knows their
  /// IDs, even if this process ends before it records that they were published. Until then they count as partial
  /// archives of 0 bytes, so none of them is the last archive of the library. A transaction as that of `note(_:)`.
  public func reserve(_ exports: [ExportRecord]) throws {
    try changeExports { database in
      for var export in exports {
        (export.isPartial, export.archiveBytes, export.changes) = (true, 0, nil)
        try export.record(in: database)
      }
    }
  }

  /// Deletes what `reserve(_:)` recorded of archives that were not published.
  public func deleteReservations(of exports: [ExportRecord]) throws {
    try changeExports { database in
      for export in exports { try export.deleteReservation(database) }
    }
  }

  private func changeExports(_ change: (Database) throws -> Void) throws {
    try translating {
      let writing = try PinnedDatabase(Self.databaseName, in: folder, .waiting())
      try writing.queue.write { try change($0) }
      try writing.close()
    }
  }
}

extension ExportRecord {
  fileprivate func deleteReservation(_ database: Database) throws {
    try database.execute(
      sql: "DELETE FROM export WHERE id = ? AND isPartial AND archiveBytes = 0", arguments: [id])
  }
}
