internal import Databases
internal import GRDB

/// The changes whose former rows and files a library keeps, so that they can be undone one after the other.
///
/// An import or a removal ends the undo of all earlier changes. A small change, such as one of the settings, keeps
/// nothing that is large: it is put on top of the stack.
struct UndoStack {
  /// The changes that `undo` can take back, in this order: newest first. Photos that were added after a change end its
  /// undo, and that of earlier changes.
  private(set) var changes: [Change.Record] = []
  /// The IDs of the changes whose rows and files are kept: `changes`, and those under added photos.
  private(set) var kept: Set<String> = []

  /// The most changes that are kept, so that the database does not grow without limit.
  static let maximumCount = 100

  /// Reads the stack. It is empty in a library of an older version, which kept nothing for an undo.
  init(_ database: Database) throws {
    guard try database.tableExists("added") else { return }
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, kind, at, EXISTS (SELECT * FROM replacedSettings WHERE changeId = change.id) AS isKept
        FROM change ORDER BY rowid DESC
        """)
    var undoneChanges = 0
    var isCovered = false
    while kept.count < Self.maximumCount, let row = try rows.next().map({ RowReader($0, of: "change") }) {
      let change = try Change.Record(row)
      if change.kind == .undo {
        undoneChanges += 1
      } else if !change.kind.isUndoable {
        isCovered = true
      } else if try row.flag("isKept") {
        kept.insert(change.id)
        if !isCovered { changes.append(change) }
        if change.kind.endsEarlierUndo { return }
      } else if undoneChanges > 0 {
        // an undo took back the newest change of the stack, and deleted its rows
        undoneChanges -= 1
      } else {
        return
      }
    }
  }
}
