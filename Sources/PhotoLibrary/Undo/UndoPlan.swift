internal import Databases
import FileSystem
import Foundation
internal import GRDB
import SystemPackage

/// The effects of undoing the newest change of the stack, from the rows that the change kept.
struct UndoPlan {
  /// The change to undo.
  let change: Change.Record
  /// The number of earlier changes that can be undone afterwards.
  let remaining: Int
  /// The photos that come back or get their former values.
  let restored: [Photo]
  /// The IDs in `restored` of photos that are in the library with other values.
  let changed: Set<Int64>
  /// The rows that the change added. The content of some may be among `restored`.
  let removed: [Photo]
  /// The number of categories that come back.
  let restoredCategories: Int
  /// The photos and categories that the undo removes.
  let removal: Removal
  /// The number of photos that come back.
  let photosBack: Int
  /// The protections that the undo turns off.
  let lowered: [Protection]

  /// - Throws: `UndoError` if there is nothing to undo.
  init(_ library: Library) throws {
    self = try library.read { database in try Self(database, library.path) }
  }

  private init(_ database: Database, _ path: FilePath) throws {
    guard let newest = try Change.Record.newest(database) else { throw UndoError.nothingToUndo(path) }
    let stack = try UndoStack(database).changes
    guard let change = stack.first else {
      switch newest.kind {
      case .undo: throw UndoError.alreadyUndone(path, at: newest.at)
      case .discard: throw UndoError.discarded(path, at: newest.at)
      case .add: throw UndoError.photosAdded(path, at: newest.at)
      case .merge, .replace, .remove, .organize, .sort, .settings, .dismiss, .reset:
        throw UndoError.rowsMissing(path, change: newest.kind.label, at: newest.at)
      }
    }
    self.change = change
    remaining = stack.count - 1
    restored = try Photo.fetchAll(
      database, sql: "SELECT \(Photo.columns) FROM replacedPhoto WHERE changeId = ?",
      arguments: [change.id], of: "replacedPhoto"
    ).sorted { $0.id < $1.id }
    removed = try Photo.fetchAll(
      database,
      sql: "SELECT \(Photo.columns) FROM photo WHERE \(Self.isAdded("photo")) ORDER BY id",
      arguments: [change.id])
    restoredCategories =
      try Int.fetchOne(
        database, sql: "SELECT count(*) FROM replacedCategory WHERE changeId = ?", arguments: [change.id])
      ?? 0
    let now = try LibraryContents(database)
    changed = Set(now.photos.map(\.id)).subtracting(removed.map(\.id)).intersection(restored.map(\.id))
    let before = try Self.contents(before: change, now, restored, removed, database)
    let ids = Set(before.categories.map(\.id))
    if let photo = restored.first(where: { !ids.contains($0.categoryId) }) {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT,
        message: "replacedPhoto \(photo.id): the category \(photo.categoryId) does not exist")
    }
    removal = Removal(from: now, to: before)
    photosBack = Removal(from: before, to: now).photos
    lowered = now.settings.protections(loweredBy: before.settings)
  }

  /// Returns the contents of the library before a change.
  private static func contents(
    before change: Change.Record, _ now: LibraryContents, _ restored: [Photo], _ removed: [Photo],
    _ database: Database
  ) throws -> LibraryContents {
    var before = now
    let photoIDs = Set((restored + removed).map(\.id))
    before.photos = now.photos.filter { !photoIDs.contains($0.id) } + restored
    let categories = try Category.fetchAll(
      database, sql: "SELECT * FROM replacedCategory WHERE changeId = ?", arguments: [change.id],
      of: "replacedCategory")
    let added = try database.rows(
      "SELECT id FROM category WHERE \(isAdded("category"))", [change.id], of: "category"
    ) { try $0.integer("id", at: 0) }
    let categoryIDs = Set(categories.map(\.id) + added)
    before.categories = now.categories.filter { !categoryIDs.contains($0.id) } + categories
    before.settings =
      try Settings.fetchOne(
        database, sql: "SELECT * FROM replacedSettings WHERE changeId = ?", arguments: [change.id],
        of: "replacedSettings")
      ?? now.settings
    return before
  }

  /// The condition for rows that a change added.
  static func isAdded(_ table: String) -> String {
    """
    EXISTS (
      SELECT * FROM added
      WHERE added.changeId = ? AND kind = '\(table)' AND \(table).id BETWEEN first AND last)
    """
  }
}

/// Why the last change cannot be undone. Nothing was changed.
public enum UndoError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The library has never been changed by an import or a remove.
  case nothingToUndo(FilePath)
  /// The last change was undone already, at this time.
  case alreadyUndone(FilePath, at: Timestamp)
  /// A person discarded what was kept for an undo, at this time.
  case discarded(FilePath, at: Timestamp)
  /// An addition, which cannot be undone, has ended the undo of earlier changes at this time.
  case photosAdded(FilePath, at: Timestamp)
  /// The database lacks the rows that the last change replaced.
  case rowsMissing(FilePath, change: String, at: Timestamp)
  /// An untracked file is at the place of a photo that comes back.
  case placeTaken(FilePath)

  /// One line for the user.
  public var description: String { message.escaped }

  private var message: String {
    switch self {
    case .nothingToUndo(let path):
      "there is nothing to undo in \(path): it was never changed"
    case .alreadyUndone(let path, let at):
      "there is nothing to undo in \(path): the last change was undone at \(at.iso8601)"
    case .discarded(let path, let at):
      "there is nothing to undo in \(path): what was kept for an undo was removed at \(at.iso8601)"
    case .photosAdded(let path, let at):
      "there is nothing to undo in \(path): photos were added at \(at.iso8601), which ended the undo of earlier changes"
    case .rowsMissing(let path, let change, let at):
      "there is nothing to undo in \(path): what \(change) at \(at.iso8601) replaced is missing"
    case .placeTaken(let path):
      "cannot restore a photo to \(path), because an untracked file is there; move the file"
    }
  }
}
