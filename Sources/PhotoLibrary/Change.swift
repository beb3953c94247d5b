import Checksums
import FileSystem
import Foundation
internal import GRDB
import Operations
import Synchronization
import SystemPackage

/// One change of a library under way: files are staged, made durable, journalled, moved into place, and then
/// one transaction makes them photos.
///
/// At every moment a crash leaves either the old state and something in `.staging` that the next writer
/// removes, or the new state. The order is: fsync the staged files; write the journal, fsync it and its
/// folders; rename; fsync every folder that changed; commit.
package final class Change: Sendable {
  /// What is being done.
  package enum Kind: String, Sendable, CaseIterable {
    /// Photos from files.
    case add
    /// Photos from a backup, beside what is there.
    case merge
    /// A backup instead of what is there.
    case replace
    /// Photos or categories that go.
    case remove
    /// The last one of the others, taken back.
    case undo

    /// Whether what was there before is kept, until the next such change.
    var isUndoable: Bool {
      switch self {
      case .merge, .replace, .remove: true
      case .add, .undo: false
      }
    }
  }

  /// A change as the database knows it.
  package struct Record: Sendable, Equatable {
    /// Its own number.
    package let id: String
    /// What was done.
    package let kind: Kind
    /// When, in milliseconds since 1970.
    package let at: Int64
  }

  /// A file that was staged, and where it goes.
  package struct StagedFile: Sendable {
    /// Its name in the staging folder.
    package let name: String
    /// Its place in the library, as `LibraryWriter.newPaths` gave it.
    package let path: String
    /// The MD5 of its bytes.
    package let md5: MD5Digest

    /// Makes a value of these parts.
    package init(name: String, path: String, md5: MD5Digest) {
      self.name = name
      self.path = path
      self.md5 = md5
    }
  }

  /// What the database will know the change by.
  package var id: String { staging.id }
  private let kind: Kind
  private let writer: LibraryWriter
  private let staging: StagingFolder
  private let commitBegun = Atomic<Bool>(false)

  /// Whether what is done is flushed to the disk.
  package var syncs: Bool { writer.syncs }

  /// The transaction has been tried, so that the database may know the change whatever became of the attempt.
  var hasBegunToCommit: Bool { commitBegun.load(ordering: .relaxed) }

  init(_ kind: Kind, writer: LibraryWriter) throws {
    self.kind = kind
    self.writer = writer
    staging = try StagingFolder(in: writer.library)
  }

  /// Names under which to stage files whose places in the library are known already, in folders as those of the
  /// library: a folder that is new there is then moved as one.
  package func stagedNames(for paths: [String]) throws(FileError) -> [String] {
    try staging.makeFolders(for: paths)
  }

  /// Makes a new file in the staging folder. Names are the caller's own, or what `stagedNames` gave. Any thread.
  package func stage(_ name: String) throws(FileError) -> File { try staging.stage(name) }

  /// Takes a file back out of the staging folder. Any thread.
  package func unstage(_ name: String) throws(FileError) { try staging.unstage(name) }

  /// Makes the staged files photos of the library. Durable when it returns.
  ///
  /// - Throws: `FileError` or `LibraryError`; the library is then as it was before.
  package func commit(_ edit: LibraryEdit, files: [StagedFile]) throws {
    if !files.isEmpty {
      if writer.syncs { try staging.sync(files.map(\.name)) }
      try staging.write(journalOf: files, as: .change, syncs: writer.syncs, Staging.Journal.Item.init)
      try moveIntoPlace(files)
    }
    commitBegun.store(true, ordering: .relaxed)
    try writer.write { database in
      try database.inTransaction(.immediate) {
        let record = Record(id: id, kind: kind, at: Date().milliseconds)
        try record.insert(database)
        try edit.apply(to: database, change: record)
        return .commit
      }
    }
    // the change stands; what is left is tidying, which the next writer does if this one cannot
    try? writer.settleReplacedPhotos(after: id)
  }

  private func moveIntoPlace(_ files: [StagedFile]) throws {
    let library = writer.library
    var byFolder: [String: [(name: FilePath, newName: FilePath)]] = [:]
    for file in files {
      let path = FilePath(file.path)
      guard let last = path.lastComponent, path.isRelative else {
        throw FileError("rename to", path, .invalidArgument)
      }
      byFolder[path.removingLastComponent().string, default: []]
        .append((FilePath(file.name), FilePath(last.string)))
    }
    for (folder, moves) in byFolder.sorted(by: { $0.key < $1.key }) {
      let folder = FilePath(folder)
      if try moveWhole(moves, to: folder) { continue }
      try library.root.makeDirectories(folder, sync: writer.syncs)
      let target = try library.root.directory(folder)
      for move in moves { try staging.directory.rename(move.name, to: target, as: move.newName) }
      if writer.syncs { try target.sync() }
    }
  }

  /// Moves files that are to be a new folder of the library, and are all that is in one of the staging folder.
  ///
  /// - Returns: false, and nothing was done, where they are not.
  private func moveWhole(
    _ moves: [(name: FilePath, newName: FilePath)], to folder: FilePath
  ) throws(FileError) -> Bool {
    let library = writer.library
    let parent = folder.removingLastComponent()
    guard let staged = moves.first?.name.removingLastComponent(), !staged.isEmpty, !parent.isEmpty,
      let name = folder.lastComponent, try library.root.status(of: folder) == nil
    else { return false }
    let names = Set(try staging.directory.directory(staged).names())
    guard names.count == moves.count,
      moves.allSatisfy({ $0.name == staged.appending($0.newName.components) && names.contains($0.newName) })
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

  /// The newest change, nil if there was none.
  static func newest(_ database: Database) throws -> Self? {
    let row = try Row.fetchOne(database, sql: "SELECT id, kind, at FROM change ORDER BY rowid DESC LIMIT 1")
    guard let row, let kind = Change.Kind(rawValue: row[1]) else { return nil }
    return Self(id: row[0], kind: kind, at: row[2])
  }
}
