internal import Databases
internal import GRDB

/// The changes whose former rows and files a library keeps, so that they can be undone one after the other.
///
/// An import or a removal ends the undo of all earlier changes, and begins a new stack. Any other undoable change, such as
/// that of a setting or a category, is put on top.
struct UndoStack {
  /// The changes that `undo` can take back, in this order: newest first.
  private(set) var changes: [Change.Record] = []
  /// The IDs of the changes whose rows and files are kept, newest first: `changes`, and those before an `add`, which ended
  /// their undo.
  private(set) var kept: [String] = []

  /// Reads the stack.
  init(_ database: Database) throws {
    let withRows = Set(try ReplacedFiles.changes(database))
    var limit = try RowLimit(database)
    let rows = try Row.fetchCursor(database, sql: "SELECT id, kind, at FROM change ORDER BY rowid DESC")
    var undoneChanges = 0
    var isBelowAdd = false
    let row = RowReader(rows, of: "change")
    while try rows.next() != nil {
      try limit.count(row)
      let change = try Change.Record(row)
      switch change.kind {
      case .undo:
        undoneChanges += 1
        continue
      case .add:
        isBelowAdd = true
        continue
      case .discard:
        return
      case .merge, .replace, .remove, .organize, .sort, .settings, .dismiss, .reset:
        break
      }
      if undoneChanges > 0 {
        // each undo takes back the newest change of the stack
        undoneChanges -= 1
      } else if withRows.contains(change.id) {
        kept.append(change.id)
        if !isBelowAdd { changes.append(change) }
      } else {
        // its rows are missing
        return
      }
      if change.kind.endsEarlierUndo { return }
    }
  }
}
