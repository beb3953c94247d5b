internal import GRDB

/// A change that `undo` can take back.
public struct UndoableChange: Sendable, Equatable {
  /// The kind of the change.
  package let kind: Change.Kind
  /// The time of the change, in milliseconds since 1970.
  public let changedAt: Int64
  /// The number of photos that it added.
  public let photosAdded: Int
  /// The number of photos that it removed or whose values it changed.
  public let photosReplaced: Int
}

extension Library {
  /// Returns the changes that `undo` can take back, one after the other: newest first. Writes nothing. Blocks.
  public func undoableChanges() throws -> [UndoableChange] {
    try read { database in
      try UndoStack(database).changes.map { change in
        func count(_ sql: String) throws -> Int {
          try Int.fetchOne(database, sql: sql, arguments: [change.id]) ?? 0
        }
        return UndoableChange(
          kind: change.kind, changedAt: change.at,
          photosAdded: try count(
            "SELECT CAST(total(last - first + 1) AS INTEGER) FROM added WHERE changeId = ? AND kind = 'photo'"
          ),
          photosReplaced: try count("SELECT count(*) FROM replacedPhoto WHERE changeId = ?"))
      }
    }
  }
}
