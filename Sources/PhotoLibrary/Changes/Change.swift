import Checksums
import FileSystem
import Foundation
import Operations
import Synchronization
import SystemPackage

/// A change of a library: files are staged and moved to their places, and then one transaction makes the new ones photos.
///
/// The order is: fsync the staged files; insert the file moves, in a durable transaction; rename; fsync every folder
/// that changed; commit the change, which deletes the file moves. An interruption leaves the new state, or the old
/// state and files that `LibraryRecovery` removes. Files that repair photos stay: no undo and no recovery removes them.
package final class Change: Sendable {
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
  private let kind: Kind?
  private let writer: LibraryWriter
  /// The folder of the staged files.
  package let staging: StagingFolder
  private let commitBegun = Atomic<Bool>(false)
  private let movesPending = Atomic<Bool>(false)

  /// True if the change is durable when it is committed.
  package var syncs: Bool { writer.syncs }

  /// True if the commit was attempted. If it failed, the database may have the change all the same.
  var hasBegunToCommit: Bool { commitBegun.load(ordering: .relaxed) }

  /// True if recovery must finish a repair: a photo needs its staged file, or rows of complete moves were not deleted.
  var hasPendingMoves: Bool { movesPending.load(ordering: .relaxed) }

  init(_ kind: Kind?, writer: LibraryWriter) throws {
    self.kind = kind
    self.writer = writer
    staging = try StagingFolder(in: writer.library.folder)
  }

  /// Stages a leftover file with this content instead of a new file, and sets its date. Any thread.
  ///
  /// - Returns: false if no usable leftover file has this content.
  package func reuse(_ content: FileContent, as name: String, modified: Timestamp) -> Bool {
    staging.reuse(content, of: writer.leftovers, as: name, modified: modified)
  }

  /// Makes the staged files photos of the library, or the files of photos whose files are corrupt or missing. Durable when
  /// it returns, except for the photos in `FileRepair.Outcome.failures`.
  ///
  /// - Parameter edit: nil for a change without a row in the history, which only repairs files.
  /// - Throws: `FileError` or `LibraryError`; the library is then as it was before, unless the transaction failed after
  ///   it took effect, and except for repaired photos. See `LibraryWriter.change(_:_:)`.
  @discardableResult
  package func commit(
    _ edit: LibraryEdit?, files: [StagedFile] = [], repairs: [FileRepair] = []
  ) throws -> FileRepair.Outcome {
    precondition(edit == nil || kind != nil, "a change of rows needs a kind")
    if !files.isEmpty || !repairs.isEmpty { try syncAndInsertMoves(files, repairs) }
    try moveToPlaces(files)
    let (outcome, emptied) = replaceFiles(repairs)
    if let edit {
      commitBegun.store(true, ordering: .relaxed)
      try end(edit, keeping: emptied)
      // the change is complete; if this fails, the next writer does it
      _ = try? ReplacedFiles(writer).settle()
    } else if !repairs.isEmpty {
      do {
        try end(nil, keeping: emptied)
      } catch {
        // the files are in their places all the same
        movesPending.store(true, ordering: .relaxed)
      }
    }
    return outcome
  }

  /// Makes the staged files durable, and records their moves.
  private func syncAndInsertMoves(_ files: [StagedFile], _ repairs: [FileRepair]) throws {
    if writer.syncs || !repairs.isEmpty {
      try staging.sync(files.map(\.name) + repairs.map(\.name))
    }
    // a photo may be without its file until the staged file is in its place
    if !repairs.isEmpty { try staging.syncNames() }
    try writer.transaction { [id] database in
      let additions = files.lazy.map { file in
        FileMove(operationID: id, kind: .add, source: file.name, target: file.path, md5: file.md5)
      }
      try FileMove.insert(additions, into: database)
      try FileMove.insert(repairs.compactMap { $0.move(in: id) }, into: database)
    }
  }

  /// Replaces the files of photos.
  ///
  /// - Returns: the moves of the photos that may be without a file, too. Recovery completes them.
  private func replaceFiles(_ repairs: [FileRepair]) -> (outcome: FileRepair.Outcome, emptied: [FileMove]) {
    guard !repairs.isEmpty else { return (FileRepair.Outcome(), []) }
    var replacement = FileReplacement(
      in: writer.library.folder, from: staging, to: Quarantine.path(of: id), lockWait: writer.lockWait)
    for repair in repairs where repair.move(in: id) == nil {
      replacement.fail(repair, FileError("rename to", FilePath(repair.photo.path), .invalidArgument))
    }
    replacement.run(repairs.filter { $0.move(in: id) != nil })
    let emptied = repairs.filter { replacement.emptied.contains($0.photo.id) }
    return (replacement.outcome, emptied.compactMap { $0.move(in: id) })
  }

  /// Deletes the rows of the moves, and makes the edit, in one transaction.
  private func end(_ edit: LibraryEdit?, keeping moves: [FileMove]) throws {
    try writer.transaction { database in
      // first, so that the new rows use the freed pages, and the database does not grow
      try FileMove.delete(operation: id, from: database)
      try FileMove.insert(moves, into: database)
      guard let edit, let kind else { return }
      let record = Record(id: id, kind: kind, at: .now)
      try record.insert(database)
      try edit.apply(to: database, change: record)
    }
    movesPending.store(!moves.isEmpty, ordering: .relaxed)
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
      try library.root.makeDirectories(folder, sync: writer.syncs)
      let target = try library.root.directory(folder)
      for move in moves { try staging.directory.rename(move.name, to: target, as: move.newName) }
      if writer.syncs { try target.sync() }
    }
  }
}
