internal import Databases
internal import GRDB
import SystemPackage

/// The rows by which a `StorageScan` knows files. Paths are compared as bytes: two normal forms of a name are equal strings,
/// and two files.
struct StorageRows {
  /// The paths of the photos.
  let photos: Set<FilePath>
  /// The changes whose undo the library keeps, newest first.
  let keptChanges: [String]
  /// The photos that were replaced or removed, by the paths of their files, with the newest change that did it.
  private(set) var replaced: [FilePath: (change: String, photos: [Photo])] = [:]
  /// The moves of additions that were not committed, by the paths of the places.
  private(set) var additions: [FilePath: FileMove] = [:]
  /// The IDs of the repairs that are not complete.
  private(set) var repairs: Set<String> = []

  /// - Parameter withUndo: false to leave `keptChanges` empty.
  init(_ database: Database, withUndo: Bool) throws {
    photos = Set(
      try database.rows("SELECT id, path FROM photo WHERE NOT isFromAssets", of: "photo") { row in
        FilePath(try row.text("path", at: 1))
      })
    keptChanges = withUndo ? try UndoStack(database).kept : []
    let ages = Dictionary(
      keptChanges.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    // Not DISTINCT: in a forged table SQLite would read any number of equal rows before it returns one that the limit
    // counts.
    let changes = try database.rows("SELECT changeId FROM replacedPhoto", of: "replacedPhoto") { row in
      try row.text("changeId", at: 0)
    }
    // several changes may have removed one file, which the newest one needs
    for change in Set(changes).sorted(by: { ages[$0, default: .max] < ages[$1, default: .max] }) {
      let photos = try Photo.fetchAll(
        database,
        sql: "SELECT \(Photo.columns) FROM replacedPhoto WHERE changeId = ? AND NOT isFromAssets",
        arguments: [change], of: "replacedPhoto")
      for photo in photos { replaced[FilePath(photo.path), default: (change, [])].photos.append(photo) }
    }
    for move in try FileMove.pending(in: database) where move.isValid {
      switch move.kind {
      case .add: additions[move.targetPath] = move
      case .repair: repairs.insert(move.operationID)
      }
    }
  }
}
