internal import Databases
internal import GRDB

/// The photos that changes added, as ranges of IDs. They tell what is newer than an export, whatever the clock did.
enum Addition {
  /// Records the photos that a change adds.
  static func insert(_ ids: [Int64], changeID: String, _ database: Database) throws {
    for range in ranges(of: ids) {
      try database.execute(
        sql: "INSERT INTO addition (changeId, first, last) VALUES (?, ?, ?)",
        arguments: [changeID, range.lowerBound, range.upperBound])
    }
  }

  /// Returns IDs as ranges: those of a new library's photos are mostly one range.
  static func ranges(of ids: [Int64]) -> [ClosedRange<Int64>] {
    ids.sorted().reduce(into: []) { ranges, id in
      if let last = ranges.last, id > .min, last.upperBound == id - 1 {
        ranges[ranges.count - 1] = last.lowerBound...id
      } else {
        ranges.append(id...id)
      }
    }
  }

  /// Deletes the ranges of an undone change.
  static func delete(changeID: String, _ database: Database) throws {
    try database.execute(sql: "DELETE FROM addition WHERE changeId = ?", arguments: [changeID])
  }

  /// Selects the photos of the library that changes added after the first `count` changes.
  ///
  /// An undo restores photos that an earlier change removed. They count only if the export was between the two. The
  /// undo then takes back more than the changes since the export. So the depth of the changes, which an undo
  /// lowers, falls below that of the export.
  private static func select(_ columns: String) -> String {
    """
    WITH
      numbered AS (SELECT id, kind, row_number() OVER (ORDER BY rowid) AS number FROM change),
      later AS (
        SELECT id, kind, number,
          sum(CASE kind WHEN 'undo' THEN -1 WHEN 'add' THEN 0 ELSE 1 END) OVER (ORDER BY number) AS depth
        FROM numbered WHERE number > ?),
      counted AS (
        SELECT id, kind, depth,
          min(depth) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS least
        FROM later)
    SELECT \(columns)
    FROM counted CROSS JOIN addition ON changeId = counted.id
      CROSS JOIN photo ON photo.id BETWEEN first AND last
    WHERE kind <> 'undo' OR depth < min(0, ifnull(least, 0))
    """
  }

  /// Counts the photos of the library that changes added after the first `count` changes.
  static func count(after count: Int, _ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: select("count(DISTINCT photo.id)"), arguments: [count]) ?? 0
  }
}

extension Library {
  /// Returns the content, and the number of changes up to it, at one moment. Blocks.
  package func contentsAndChanges() throws -> (contents: LibraryContents, changes: Int) {
    try read { database in
      (try LibraryContents(database), try database.rowCount(of: "change"))
    }
  }

  /// Counts the photos that were added after an export and are in the library; nil if the place of the export among the
  /// changes is unknown. Blocks.
  package func photosAdded(since export: ExportRecord) throws -> Int? {
    try export.changes.map { changes in try read { try Addition.count(after: changes, $0) } }
  }

  /// Counts the photos that were added after an export and are in the library. Returns nil if the library has no record
  /// of the export, or if the place of the export among the changes is unknown. Blocks.
  ///
  /// - Parameters:
  ///   - sequence: the place of the archive among the exports; nil if it is unknown.
  ///   - archive: the path of the archive.
  package func photosAdded(sinceExport sequence: Int64?, archive: String) throws -> Int? {
    try read { database in
      let export = try ExportRecord.fetchOne(
        database,
        sql: """
          SELECT * FROM export WHERE (sequence = ? OR archive = ?) AND \(ExportRecord.isOwn)
          ORDER BY rowid DESC LIMIT 1
          """, arguments: [sequence, archive])
      return try export?.changes.map { try Addition.count(after: $0, database) }
    }
  }
}
