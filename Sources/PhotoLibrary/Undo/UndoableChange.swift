internal import GRDB

/// A change that `undo` can take back.
public struct UndoableChange: Sendable, Equatable {
  /// The kind of the change.
  package let kind: Change.Kind
  /// The time of the change.
  public let changedAt: Timestamp
  /// The number of photos that it added.
  public let photosAdded: Int
  /// The number of photos that it removed or whose values it changed.
  public let photosReplaced: Int
  /// The number of categories that it added.
  public let categoriesAdded: Int
  /// The number of categories that it removed or whose values it changed.
  public let categoriesReplaced: Int
}

extension Library {
  /// Returns the changes that `undo` can take back, one after the other: newest first. Writes nothing. Blocks.
  public func undoableChanges() throws -> [UndoableChange] {
    try read { database in
      try UndoStack(database).changes.map { change in
        func added(_ kind: String) throws -> Int {
          let sql = """
            SELECT CAST(total(last - first + 1) AS INTEGER) FROM added WHERE changeId = ? AND kind = ?
            """
          return try Int.fetchOne(database, sql: sql, arguments: [change.id, kind]) ?? 0
        }
        func replaced(_ table: String) throws -> Int {
          let sql = "SELECT count(*) FROM \(table) WHERE changeId = ?"
          return try Int.fetchOne(database, sql: sql, arguments: [change.id]) ?? 0
        }
        return UndoableChange(
          kind: change.kind, changedAt: change.at,
          photosAdded: try added("photo"), photosReplaced: try replaced("replacedPhoto"),
          categoriesAdded: try added("category"), categoriesReplaced: try replaced("replacedCategory"))
      }
    }
  }
}
