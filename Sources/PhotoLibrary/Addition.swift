internal import GRDB

/// The photos that changes added, as ranges of IDs. They tell what is newer than an export, whatever the clock did.
enum Addition {
  /// Records the photos that a change adds.
  static func insert(_ ids: [Int64], changeID: String, _ database: Database) throws {
    for range in LibraryEdit.ranges(of: ids) {
      try database.execute(
        sql: "INSERT INTO addition (changeId, first, last) VALUES (?, ?, ?)",
        arguments: [changeID, range.lowerBound, range.upperBound])
    }
  }

  /// Forgets the photos that an undone change had added.
  static func delete(changeID: String, _ database: Database) throws {
    try database.execute(sql: "DELETE FROM addition WHERE changeId = ?", arguments: [changeID])
  }

  /// Counts the photos of the library that changes added after the first `count` changes.
  ///
  /// An undo restores photos that the change before it removed. They are new only if the export was between the two.
  static func count(after count: Int, _ database: Database) throws -> Int {
    let rows = try Row.fetchAll(
      database,
      sql: """
        WITH numbered AS (SELECT id, kind, row_number() OVER (ORDER BY rowid) AS number FROM change)
        SELECT first, last FROM addition JOIN numbered ON numbered.id = changeId
        WHERE number > ? AND (kind <> 'undo' OR number = ?) ORDER BY first
        """, arguments: [count, count + 1])
    var photos = 0
    var counted = Int64.min
    for row in rows {
      let (first, last) = (max(row[0] as Int64, counted), row[1] as Int64)
      guard first <= last else { continue }
      photos +=
        try Int.fetchOne(
          database, sql: "SELECT count(*) FROM photo WHERE id BETWEEN ? AND ?", arguments: [first, last]) ?? 0
      counted = last + 1
    }
    return photos
  }
}

extension Library {
  /// Returns the content, and the number of changes up to it, at one moment. Blocks.
  package func contentsAndChanges() throws -> (contents: LibraryContents, changes: Int?) {
    try read { database in
      // a reader does not migrate
      let changes =
        try database.tableExists("addition")
        ? Int.fetchOne(database, sql: "SELECT count(*) FROM change") : nil
      return (try LibraryContents(database), changes)
    }
  }

  /// Counts the photos that were added after an export and are in the library; nil if the export is of an older
  /// version, which did not record its place among the changes. Blocks.
  package func photosAdded(since export: ExportRecord) throws -> Int? {
    try export.changes.map { changes in try read { try Addition.count(after: changes, $0) } }
  }
}
