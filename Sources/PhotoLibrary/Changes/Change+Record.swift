internal import Databases
internal import GRDB

extension Change {
  /// What a change does.
  package enum Kind: String, Sendable, CaseIterable {
    /// Adds photos from files.
    case add
    /// Adds photos from a backup to the library.
    case merge
    /// Replaces the contents of the library by a backup.
    case replace
    /// Removes photos or categories.
    case remove
    /// Moves or renames photos, or changes categories.
    case organize
    /// Moves photos by rules.
    case sort
    /// Changes settings.
    case settings
    /// Dismisses pairs of photos that are no duplicates.
    case dismiss
    /// Removes all photos and categories, and gives the library a new ID.
    case reset
    /// Reverts the last change.
    case undo
    /// Discards what the library keeps for an undo.
    case discard

    /// The change in a sentence for the user, after a verb: `the import`.
    package var label: String {
      switch self {
      case .add: "the addition"
      case .merge, .replace: "the import"
      case .remove: "the removal"
      case .organize: "the reorganization"
      case .sort: "the sorting"
      case .settings: "the change of settings"
      case .dismiss: "the dismissal of duplicates"
      case .reset: "the reset"
      case .undo: "the undo"
      case .discard: "the removal of what was kept for an undo"
      }
    }

    /// True if the library keeps what the change replaces or removes, for an undo. See `UndoStack`.
    var isUndoable: Bool {
      switch self {
      case .merge, .replace, .remove, .organize, .sort, .settings, .dismiss, .reset: true
      case .add, .undo, .discard: false
      }
    }

    /// True if the change ends the undo of all earlier changes.
    var endsEarlierUndo: Bool {
      switch self {
      case .merge, .replace, .remove, .reset, .discard: true
      case .add, .undo, .organize, .sort, .settings, .dismiss: false
      }
    }
  }

  /// A committed change, as a row of the database.
  package struct Record: Sendable, Equatable {
    package let id: String
    package let kind: Kind
    /// The time of the change.
    package let at: Timestamp
  }
}

extension Change.Record {
  func insert(_ database: Database) throws {
    try database.execute(
      sql: "INSERT INTO change (id, kind, at) VALUES (?, ?, ?)", arguments: [id, kind.rawValue, at])
  }

  /// Returns the newest change; nil if the library has no change.
  static func newest(_ database: Database) throws -> Self? {
    let sql = "SELECT id, kind, at FROM change ORDER BY rowid DESC LIMIT 1"
    return try database.firstRow(sql, of: "change") { try Self($0) }
  }

  /// Reads a row of `change`.
  init(_ row: RowReader) throws {
    id = try row.text("id")
    kind = try row.enumeration("kind", as: Change.Kind.self)
    at = try row.time("at")
  }
}
