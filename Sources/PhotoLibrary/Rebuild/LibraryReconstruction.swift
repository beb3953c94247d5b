internal import Databases
import FileSystem
import Foundation
internal import GRDB
import SystemPackage

/// Gives a lost library a new database.
///
/// The first steps are: fsync the staged files; write the database as `library.sqlite.new`, and fsync it. The next
/// steps are: move the staged files to their places, and corrupt files to `.rotten`; link the old database in `.lost`;
/// rename the new one over the old one. An interruption before the last step leaves a library that cannot be used, as
/// before, with all its files, and the reconstruction can be repeated.
/// docs/contributing/recovery-protocol.md lists the states.
package final class LibraryReconstruction: Sendable {
  /// What became of the old files. Paths are relative to the library.
  package struct Outcome: Sendable {
    /// The folder with the old database, and with the files that were kept for an undo; nil if there were none.
    package var lostFiles: FilePath?
    /// The folder with the corrupt files; nil if there were none.
    package var corruptFiles: FilePath?
  }

  private let pin: PINRecord?
  private let library: LostLibrary
  /// The folder of the staged files.
  package let staging: StagingFolder

  /// The name of the staging folder: always the same, so that the next reconstruction removes what an interrupted one left.
  static let operationID = "00000000-0000-4000-8000-72656275696C"

  /// Makes the staging folder, and removes what an interrupted reconstruction left.
  package init(of library: LostLibrary, _ salvaged: SalvagedRows) throws {
    self.library = library
    pin = salvaged.pin
    try Self.discard(in: library)
    staging = try StagingFolder(in: library.folder, id: Self.operationID)
  }

  /// Removes the staged files and the unfinished database.
  package func discard() throws { try Self.discard(in: library) }

  private static func discard(in library: LostLibrary) throws {
    for file in Library.unfinishedFiles { try library.root.remove(file) }
    try StagingFolder.remove(operationID, from: library.root)
  }

  /// Returns true if there is nothing at a path in the library.
  package func isFree(_ path: String) throws(FileError) -> Bool {
    try library.root.status(of: FilePath(path)) == nil
  }

  /// Chooses a place for each new file: a path that no photo and no file has.
  ///
  /// - Parameter taken: the paths of photos.
  package func newPaths(for photos: [Photo], taken: [String]) throws -> [String] {
    var paths = PhotoPath(taken: taken)
    return try photos.map { photo in
      try paths.next(forFileName: photo.fileName, createdAt: photo.createdAt) {
        try library.root.status(of: FilePath($0)) != nil
      }
    }
  }

  /// Writes the database, moves the files, and makes the library usable. Durable when it returns. Blocks.
  ///
  /// - Throws: `FileError` or `LibraryError`; the library then has its lost database, as before.
  package func commit(
    _ contents: RebuiltContents, _ restored: [FileRepair], now: Date = Date()
  ) throws -> Outcome {
    try staging.sync(restored.map(\.name))
    try writeDatabase(contents, now: Timestamp(now))
    var outcome = Outcome()
    outcome.corruptFiles = try moveToPlaces(restored)
    outcome.lostFiles = try moveAside(now: now)
    try publish(replacing: outcome.lostFiles?.appending(Library.databaseName.components))
    // the library is complete; if this fails, the next writer does it
    try? discard()
    return outcome
  }

  /// Gives the new database its name. If that cannot be made durable, the old one gets it back.
  ///
  /// - Parameter lost: the path in `.lost` that the old database has, if there is one.
  private func publish(replacing lost: FilePath?) throws {
    try library.root.replace(Library.databaseName, with: Library.unfinishedDatabase)
    do {
      try library.root.sync()
    } catch {
      try? withdraw(for: lost)
      throw error
    }
  }

  private func withdraw(for lost: FilePath?) throws {
    guard let lost, try library.root.status(of: lost) != nil else {
      try library.root.remove(Library.databaseName)
      return
    }
    do {
      try library.root.link(library.root.open(lost, .read), as: Library.unfinishedDatabase)
    } catch {
      // the file system has no links
      try library.root.replace(Library.databaseName, with: lost)
      return
    }
    try library.root.replace(Library.databaseName, with: Library.unfinishedDatabase)
  }

  // MARK: The database

  private func writeDatabase(_ rebuilt: RebuiltContents, now: Timestamp) throws {
    try Library.writeUnfinishedDatabase(in: library.folder) { database in
      let contents = rebuilt.contents
      try contents.settings.insert(database)
      if let id = rebuilt.libraryID {
        try database.execute(sql: "UPDATE identity SET uuid = ?", arguments: [id])
      }
      let sortID = try insert(rebuilt.sorting, at: now, to: database)
      var archived = LibraryEdit()
      archived.newCategories = contents.categories
      archived.newPhotos = contents.photos.filter { !rebuilt.photosNotInArchive.contains($0.id) }
      archived.dismissals = Array(rebuilt.dismissals)
      // what was kept for an undo is lost
      let change = try apply(archived, as: .discard, at: now, to: database)
      try Movement.insert(contents.movements, database) { place in
        rebuilt.sorting.movements.contains(place) ? sortID ?? change.id : change.id
      }
      let changes = try database.rowCount(of: "change")
      for var export in rebuilt.exports {
        // the photos of the archive were added before it, and those of older archives perhaps afterwards
        export.changes = export.id == rebuilt.archiveID ? changes : 0
        try export.record(in: database)
      }
      var others = LibraryEdit()
      others.newPhotos = contents.photos.filter { rebuilt.photosNotInArchive.contains($0.id) }
      if !others.isEmpty { _ = try apply(others, as: .add, at: now, to: database) }
      try pin?.save(database)
    }
  }

  /// Inserts the marks of `sort`, and a change for its movements.
  ///
  /// - Returns: the ID of the change; nil if there are no movements.
  private func insert(
    _ sorting: SalvagedSorting, at now: Timestamp, to database: Database
  ) throws -> String? {
    for mark in sorting.marks { try mark.insert(database) }
    guard !sorting.movements.isEmpty else { return nil }
    let change = Change.Record(id: UUID().uuidString, kind: .sort, at: now)
    try change.insert(database)
    return change.id
  }

  private func apply(
    _ edit: LibraryEdit, as kind: Change.Kind, at now: Timestamp, to database: Database
  ) throws -> Change.Record {
    let change = Change.Record(id: UUID().uuidString, kind: kind, at: now)
    try change.insert(database)
    try edit.apply(to: database, change: change)
    return change
  }

  // MARK: Photo files

  /// Moves the staged files to their places.
  ///
  /// - Returns: the folder with the corrupt files; nil if there are none.
  private func moveToPlaces(_ repairs: [FileRepair]) throws -> FilePath? {
    // the next reconstruction must not use the folder again
    let quarantine = Quarantine.path(of: UUID().uuidString)
    var replacement = FileReplacement(in: library.folder, from: staging, to: quarantine)
    replacement.run(repairs)
    let failures = replacement.outcome.failures
    for repair in repairs {
      if let failure = failures[repair.photo.id] { throw failure }
    }
    return replacement.outcome.corruptFiles
  }

  // MARK: The old files

  /// Keeps the old database with its log in `.lost/DATE`, and leaves none of their names except that of the database, which
  /// the new one replaces: SQLite would apply the old log to the new database. Moves the files that were kept for an undo
  /// there, too, since the next import would remove them.
  private func moveAside(now: Date) throws -> FilePath? {
    let root = LostDatabases.parent
    let names = try Library.databaseFiles.filter { try library.root.status(of: $0) != nil }
    let hasUndo =
      try library.root.status(of: ReplacedFiles.parent)?.kind == .directory
      && !library.root.directory(ReplacedFiles.parent).names().isEmpty
    guard !names.isEmpty || hasUndo else { return nil }
    let folder = try LostDatabases.unfinishedRebuild(in: library.root) ?? newFolder(in: root, now)
    let kept = try library.root.directory(folder)
    var linked: Set<FilePath> = []
    for name in names {
      guard let status = try library.root.status(of: name), status.kind == .file else { continue }
      do {
        if try kept.status(of: name)?.identity != status.identity {
          try kept.link(library.root.open(name, .read), as: freeName(name, in: kept))
        }
        linked.insert(name)
      } catch {
        if error.errno == .noSpace { throw error }
      }
    }
    try kept.sync()
    for name in names {
      if !linked.contains(name) {
        try library.root.rename(name, to: kept, as: freeName(name, in: kept))
      } else if name != Library.databaseName {
        try library.root.remove(name)
      }
    }
    if hasUndo {
      let name = try freeName("undo", in: kept)
      guard try library.root.moveFolder(ReplacedFiles.parent, to: kept, as: name) else {
        throw FileError("move", library.root.path(of: ReplacedFiles.parent), .improperLink)
      }
    }
    try kept.sync()
    try library.root.sync()
    return folder
  }

  /// Returns the name, or another one if the folder has it already.
  private func freeName(_ name: FilePath, in folder: borrowing Directory) throws(FileError) -> FilePath {
    var (free, number) = (name, 1)
    while try folder.status(of: free) != nil {
      number += 1
      free = FilePath("\(name.string)_\(number)")
    }
    return free
  }

  private func newFolder(in parent: FilePath, _ now: Date) throws -> FilePath {
    try library.root.makeDirectories(parent)
    // FAT has no names with a colon
    let date = FilePath(now.ISO8601Format().replacing(":", with: ""))
    let folder = try freeName(date, in: library.root.directory(parent)).inFolder(parent)
    try library.root.makeDirectories(folder)
    return folder
  }
}
