internal import Databases
internal import GRDB
internal import Operations
internal import PhotoLibrary

/// Reads and writes the rows of a cache.
extension PictureCache {
  /// Returns what the cache knows about all contents. Reads all thumbnails, and leaves out rows with corrupt ones.
  ///
  /// - Parameter counter: counts the rows in a phase of their own, the first tenth of its share.
  /// - Throws: `CancellationError`; `DatabaseError`.
  static func verifiedStates(
    in database: Database, _ counter: ProgressCounter
  ) throws -> [(FileContent, State)] {
    let count = try database.rowCount(of: "picture")
    guard count > 0 else { return [] }
    return try counter.inFirstPart(0.1) {
      counter.setTotals(items: count, bytes: 0)
      counter.enter(.verifying)
      return try rows(PictureRow.columnsWithThumbnail, in: database) { row, reader in
        try counter.checkCancellation()
        counter.advance(items: 1)
        return try row.isThumbnailIntact(in: reader) ? (row.content, row.state) : nil
      }
    }
  }

  /// Passes each intact row to `read`, and returns the results that are not nil.
  static func rows<Value>(
    _ columns: String, in database: Database, _ read: (PictureRow, RowReader) throws -> Value?
  ) throws -> [Value] {
    try database.rows("SELECT \(columns) FROM picture", of: "picture") { reader in
      try PictureRow(reader).flatMap { try read($0, reader) }
    }.compactMap(\.self)
  }

  /// The bytes of the pages that are in use.
  static func bytes(_ database: Database) throws -> Int {
    let number = { (name: String) in try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
    return try max(0, number("page_count") - number("freelist_count")).saturated(times: number("page_size"))
  }

  /// Removes thumbnails first, since a fingerprint is small and takes as long to make again.
  static func evict(to limit: Int, _ database: Database) throws {
    while try bytes(database) > limit {
      if try PictureRow.evictThumbnails(database) > 0 { continue }
      try database.execute(
        sql: "DELETE FROM picture WHERE id IN (SELECT id FROM picture ORDER BY usedAt, id LIMIT 100)")
      if database.changesCount == 0 { return }
    }
  }
}
