import Checksums
internal import Databases
import FileSystem
import Foundation
internal import GRDB
import Operations
import Synchronization
import SystemPackage

/// A change of a library: new files are staged and moved to their places, and then one transaction makes them photos.
///
/// The order is: fsync the staged files; insert the file moves, in a durable transaction; rename; fsync every folder
/// that changed; commit the change, which deletes the file moves. An interruption leaves the new state, or the old
/// state and files that `LibraryRecovery` removes.
package final class Change: Sendable {
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
    /// The time of the change, in milliseconds since 1970.
    package let at: Int64
  }

  /// A staged file, and the place that it moves to.
  package struct StagedFile: Sendable {
    /// The name in the staging folder.
    package let name: String
    /// The place in the library, which `LibraryWriter.newPaths` chose.
    package let path: String
    package let md5: MD5Digest

    package init(name: String, path: String, md5: MD5Digest) {
      self.name = name
      self.path = path
      self.md5 = md5
    }
  }

  /// The ID of the change's row.
  package var id: String { staging.id }
  private let kind: Kind
  private let writer: LibraryWriter
  private let staging: StagingFolder
  private let commitBegun = Atomic<Bool>(false)

  /// True if the change is durable when it is committed.
  package var syncs: Bool { writer.syncs }

  /// True if the commit was attempted. If it failed, the database may have the change all the same.
  var hasBegunToCommit: Bool { commitBegun.load(ordering: .relaxed) }

  init(_ kind: Kind, writer: LibraryWriter) throws {
    self.kind = kind
    self.writer = writer
    staging = try StagingFolder(in: writer.library)
  }

  /// Returns the names to stage files under whose places in the library are known already. The staging folder then has
  /// a folder for each folder of the library, and `commit` moves a new folder with one rename.
  package func stagedNames(for paths: [String]) throws(FileError) -> [String] {
    try staging.makeFolders(for: paths)
  }

  /// Makes a new file in the staging folder, under a number or a name from `stagedNames`. Any thread.
  package func stage(_ name: String) throws(FileError) -> File { try staging.stage(name) }

  /// Stages a leftover file with this content instead of a new file, and sets its date in milliseconds since 1970. Any
  /// thread.
  ///
  /// - Returns: false if no usable leftover file has this content.
  package func reuse(_ content: FileContent, as name: String, modified: Int64) -> Bool {
    staging.reuse(content, of: writer.leftovers, as: name, modified: modified)
  }

  /// Removes a file from the staging folder. Any thread.
  package func unstage(_ name: String) throws(FileError) { try staging.unstage(name) }

  /// Makes the staged files photos of the library. Durable when it returns.
  ///
  /// - Throws: `FileError` or `LibraryError`; the library is then as it was before, unless the transaction failed after
  ///   it took effect. See `LibraryWriter.change(_:_:)`.
  package func commit(_ edit: LibraryEdit, files: [StagedFile]) throws {
    if !files.isEmpty {
      if writer.syncs { try staging.sync(files.map(\.name)) }
      try writer.record(
        files.lazy.map { [id] file in
          FileMove(operationID: id, kind: .add, source: file.name, target: file.path, md5: file.md5)
        })
      try moveToPlaces(files)
    }
    commitBegun.store(true, ordering: .relaxed)
    try writer.write { database in
      try database.inTransaction(.immediate) {
        // first, so that the new rows use the freed pages, and the database does not grow
        try FileMove.delete(operation: id, from: database)
        let record = Record(id: id, kind: kind, at: Date().milliseconds)
        try record.insert(database)
        try edit.apply(to: database, change: record)
        return .commit
      }
    }
    // the change is complete; if this fails, the next writer does it
    _ = try? ReplacedFiles(writer).settle()
  }

  private func moveToPlaces(_ files: [StagedFile]) throws {
    let library = writer.library
    var byFolder: [String: [(name: FilePath, newName: FilePath)]] = [:]
    for file in files {
      let (folder, name) = file.path.folderAndName
      guard !name.isEmpty, !file.path.hasPrefix("/") else {
        throw FileError("rename to", FilePath(file.path), .invalidArgument)
      }
      byFolder[String(folder), default: []].append((FilePath(file.name), FilePath(String(name))))
    }
    for (folder, moves) in byFolder.sorted(by: { $0.key < $1.key }) {
      let folder = FilePath(folder)
      if try moveFolder(moves, to: folder) { continue }
      try library.root.makeDirectories(folder, sync: writer.syncs)
      let target = try library.root.directory(folder)
      for move in moves { try staging.directory.rename(move.name, to: target, as: move.newName) }
      if writer.syncs { try target.sync() }
    }
  }

  /// Moves files as one folder, if that folder is new in the library and a folder in the staging folder has exactly
  /// these files.
  ///
  /// - Returns: false if nothing was moved.
  private func moveFolder(
    _ moves: [(name: FilePath, newName: FilePath)], to folder: FilePath
  ) throws(FileError) -> Bool {
    let library = writer.library
    let parent = folder.removingLastComponent()
    guard let staged = moves.first?.name.removingLastComponent(), !staged.isEmpty, !parent.isEmpty,
      let name = folder.lastComponent, try library.root.status(of: folder) == nil
    else { return false }
    let names = Set(try staging.directory.directory(staged).names())
    let prefix = "\(staged.string)/"
    guard names.count == moves.count,
      moves.allSatisfy({ $0.name.string == "\(prefix)\($0.newName.string)" && names.contains($0.newName) })
    else { return false }
    try library.root.makeDirectories(parent, sync: writer.syncs)
    let target = try library.root.directory(parent)
    guard try staging.directory.moveFolder(staged, to: target, as: FilePath(name.string)) else {
      return false
    }
    if writer.syncs {
      try library.root.directory(folder).sync()
      try target.sync()
    }
    return true
  }
}

extension Change.Record {
  func insert(_ database: Database) throws {
    try database.execute(
      sql: "INSERT INTO change (id, kind, at) VALUES (?, ?, ?)", arguments: [id, kind.rawValue, at])
  }

  /// Returns the newest change; nil if there is none.
  static func newest(_ database: Database) throws -> Self? {
    let sql = "SELECT id, kind, at FROM change ORDER BY rowid DESC LIMIT 1"
    return try database.firstRow(sql, of: "change") { try Self($0) }
  }

  /// Reads a row of `change`.
  init(_ row: RowReader) throws {
    id = try row.text("id")
    kind = try row.enumeration("kind", as: Change.Kind.self)
    at = try row.integer("at")
  }
}
