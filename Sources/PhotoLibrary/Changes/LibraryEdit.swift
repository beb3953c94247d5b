import Foundation
internal import GRDB

/// The rows that a change adds, updates and removes.
package struct LibraryEdit: Sendable, Equatable {
  /// The IDs of photos to remove. Their rows are kept for an undo, and their files move to `.undo`.
  package var removedPhotos: [Int64] = []
  /// The IDs of categories to remove, which must be empty after the edit. A new row may have the ID of a removed one.
  package var removedCategories: [Int64] = []
  /// New categories.
  package var newCategories: [Category] = []
  /// New values of categories, by their ID.
  package var changedCategories: [Category] = []
  /// New photos. Their files, except those of assets, are staged before the edit is committed.
  package var newPhotos: [Photo] = []
  /// New values of photos, by their ID.
  package var changedPhotos: [Photo] = []
  /// New settings; nil if they do not change.
  package var settings: Settings?
  /// What a person moves or removes. The photos and categories have their former values when this is recorded.
  package var moves: [Move] = []
  /// The IDs of those new photos that a person adds, or restores although they were removed before.
  package var returnedPhotos: [Int64] = []
  /// Everything that a person moved or removed before, instead of what the library has recorded; nil to keep that.
  package var movements: [Movement]?
  /// The photos that `sort` considered; nil for any other edit.
  var sortMarks: SortMarks?
  /// Pairs of contents that a person does not take for duplicates.
  var dismissals: [Dismissal] = []
  /// A new library ID; nil to keep the library's own. Exports and imports from inboxes under the old ID no longer count.
  package var libraryID: String?
  /// True to remove the PIN. An undo does not bring it back.
  var removesPIN = false
  /// True to keep nothing for an undo, neither of this change nor of earlier ones.
  var discardsUndo = false

  /// Makes an edit that changes nothing.
  package init() {}

  /// True if the edit changes nothing.
  package var isEmpty: Bool { self == LibraryEdit() }
}

extension LibraryEdit {
  /// Writes the rows, in the transaction that inserts the change. For the undo, an undoable change keeps every row that
  /// it changes or removes, and the IDs of the rows that it adds.
  func apply(to database: Database, change: Change.Record) throws {
    if change.kind.isUndoable {
      // a row with a value out of range cannot be kept
      try StoredSettings.repair(database)
      try keepForUndo(database, changeId: change.id)
    }
    try recordMoves(database, change)
    try sortMarks?.insert(database)
    for dismissal in dismissals { try dismissal.insert(changeID: change.id, database) }
    try Addition.insert(newPhotos.map(\.id), changeID: change.id, database)
    // a photo may refer to a category that is inserted later, or that is replaced under the same ID
    try database.execute(sql: "PRAGMA defer_foreign_keys = ON")
    try Self.delete("photo", removedPhotos, database)
    try Self.delete("category", removedCategories, database)
    for category in newCategories { try category.insert(database) }
    for category in changedCategories { try category.update(database) }
    try Photo.insert(newPhotos, into: database)
    for photo in changedPhotos { try photo.update(database) }
    try sortMarks?.insertMoved(changedPhotos, database)
    try recordReturns(database, change)
    if let settings {
      try database.execute(sql: "DELETE FROM settings")
      try settings.insert(database)
    }
    if let libraryID {
      try database.execute(sql: "UPDATE identity SET uuid = ?", arguments: [libraryID])
    }
    if removesPIN { try database.execute(sql: "DELETE FROM pin") }
    // with the same time, and behind the change
    if discardsUndo {
      try Change.Record(id: UUID().uuidString, kind: .discard, at: change.at).insert(database)
    }
  }

  /// Returns true if these are the IDs of all rows of a table. A `replace` concerns all rows, and one statement without
  /// a condition is several times faster than one statement a row.
  private static func areAll(_ ids: [Int64], of table: String, _ database: Database) throws -> Bool {
    let count = try database.rowCount(of: table)
    guard count > 1, count <= ids.count else { return false }
    return try Set(ids) == Int64.fetchSet(database, sql: "SELECT id FROM \(table)")
  }

  private static func delete(_ table: String, _ ids: [Int64], _ database: Database) throws {
    if try areAll(ids, of: table, database) {
      try database.execute(sql: "DELETE FROM \(table)")
      return
    }
    let statement = try database.cachedStatement(sql: "DELETE FROM \(table) WHERE id = ?")
    for id in ids { try statement.execute(arguments: [id]) }
  }

  private func keepForUndo(_ database: Database, changeId: String) throws {
    try database.execute(
      sql: "INSERT INTO replacedSettings SELECT ?, * FROM settings", arguments: [changeId])
    if libraryID != nil {
      try database.execute(
        sql: "INSERT INTO replacedIdentity SELECT ?, * FROM identity", arguments: [changeId])
    }
    for (table, copy, ids) in [
      ("category", "replacedCategory", removedCategories + changedCategories.map(\.id)),
      ("photo", "replacedPhoto", removedPhotos + changedPhotos.map(\.id)),
    ] {
      if try Self.areAll(ids, of: table, database) {
        try database.execute(
          sql: "INSERT INTO \(copy) SELECT ?, * FROM \(table)", arguments: [changeId])
        continue
      }
      let statement = try database.cachedStatement(
        sql: "INSERT INTO \(copy) SELECT ?, * FROM \(table) WHERE id = ?")
      for id in ids { try statement.execute(arguments: [changeId, id]) }
    }
    for (table, ids) in [("category", newCategories.map(\.id)), ("photo", newPhotos.map(\.id))] {
      for range in Addition.ranges(of: ids) {
        try database.execute(
          sql: "INSERT INTO added (changeId, kind, first, last) VALUES (?, ?, ?, ?)",
          arguments: [changeId, table, range.lowerBound, range.upperBound])
      }
    }
  }
}
