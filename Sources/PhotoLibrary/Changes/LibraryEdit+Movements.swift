internal import Databases
internal import GRDB

extension LibraryEdit {
  /// A movement of a photo or a category of the library.
  package enum Move: Sendable, Equatable {
    /// The photo with this ID moves to the category with this `name`; nil if it is removed.
    case photo(Int64, to: String?)
    /// The category with this ID is merged into that with this `name`; nil if it is removed.
    case category(Int64, to: String?)
  }

  /// Records `moves`, or replaces all movements by `movements`.
  func recordMoves(_ database: Database, _ change: Change.Record) throws {
    guard !moves.isEmpty || movements != nil else { return }
    let date = try Self.date(of: change, database)
    if let movements {
      try Movement.replaceAll(by: movements, changeID: change.id, at: date, database)
    }
    let photo = try database.cachedStatement(
      sql: """
        INSERT INTO movement (changeId, at, md5, size, assetPath, origin, destination)
        SELECT ?, ?, md5, iif(isFromAssets, NULL, fileSize), iif(isFromAssets, path, NULL), category.name, ?
        FROM photo JOIN category ON category.id = categoryId WHERE photo.id = ?
        """)
    let category = try database.cachedStatement(
      sql: """
        INSERT INTO movement (changeId, at, origin, destination) SELECT ?, ?, name, ? FROM category WHERE id = ?
        """)
    for move in moves {
      switch move {
      case .photo(let id, let destination):
        try photo.execute(arguments: [change.id, date, destination, id])
      case .category(let id, let destination):
        try category.execute(arguments: [change.id, date, destination, id])
      }
    }
  }

  /// Records those of `returnedPhotos` whose content was removed before.
  func recordReturns(_ database: Database, _ change: Change.Record) throws {
    guard !returnedPhotos.isEmpty, try database.rowCount(of: "movement") > 0 else { return }
    let date = try Self.date(of: change, database)
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO movement (changeId, at, md5, size, assetPath, destination)
        SELECT ?, ?, photo.md5, iif(isFromAssets, NULL, fileSize), iif(isFromAssets, path, NULL), category.name
        FROM photo JOIN category ON category.id = categoryId
        WHERE photo.id = ? AND (
          EXISTS (SELECT * FROM movement WHERE movement.md5 = photo.md5 AND destination IS NULL)
          OR isFromAssets AND EXISTS (SELECT * FROM movement WHERE assetPath = path AND destination IS NULL))
        """)
    for id in returnedPhotos { try statement.execute(arguments: [change.id, date, id]) }
  }

  /// The time of the movements of a change; not before the sequence number of an earlier export.
  private static func date(of change: Change.Record, _ database: Database) throws -> Timestamp {
    max(change.at, try Timestamp.fetchOne(database, sql: "SELECT MAX(sequence) FROM export") ?? .min)
  }
}
