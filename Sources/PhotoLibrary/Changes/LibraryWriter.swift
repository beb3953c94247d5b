import Checksums
import FileSystem
internal import GRDB
import Operations
import SystemPackage

/// A library opened for writing. It holds `library.lock` as long as the value exists, so there is one writer at a time.
///
/// Opening it recovers from interrupted operations. All functions block.
package final class LibraryWriter: Sendable {
  /// The library, for reading.
  package let library: Library
  let lock: FileLock
  /// True if changes are durable.
  let syncs: Bool
  /// How long to wait for locks of other processes.
  let lockWait: Duration
  /// The staged files of interrupted operations that changes may use. Empty if they were removed.
  package let leftovers: LeftoverFiles

  /// Takes the lock, opens the database, and recovers.
  ///
  /// - Parameters:
  ///   - lockWait: how long to wait for another writer to end.
  ///   - syncs: false if a power failure may revert changes; a kill never does.
  ///   - treatment: what to do with the staged files of interrupted operations.
  ///   - whileWaiting: called ten times a second while it waits; may throw to give up.
  /// - Throws: what `Library.init(path:)` throws; `FileLock.Busy` if another process writes; `FileError` if the folder
  ///   cannot be written.
  package init(
    path: FilePath, lockWait: Duration = .zero, syncs: Bool = true,
    leftovers treatment: LeftoverFiles.Treatment = .remove, whileWaiting: () throws -> Void = {}
  ) throws {
    self.syncs = syncs
    self.lockWait = lockWait
    let folder = try Library.openFolder(path)
    let file = try Library.check(folder.directory)
    // a library of another version is not even locked
    _ = try Library(in: folder)
    lock = try FileLock("library.lock", in: folder.directory, waiting: lockWait, whileWaiting: whileWaiting)
    library = try Library(in: folder, configuration: .waiting())
    leftovers = LeftoverFiles(in: library)
    // not by GRDB's configuration: it sets synchronous to NORMAL, with which a power failure may revert the last commit,
    // and it makes and drops a table to create the log
    try write { try $0.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL") }
    try library.translating { try Schema.library.repairNumbers(of: library.database) }
    // durably, whatever `syncs` says: it concerns the work of other writers
    if treatment != .postpone { try LibraryRecovery(writer: self, leftovers: treatment).run() }
    if treatment == .keep { try leftovers.collect() }
    // a power failure may revert the last changes, and never damages the database
    if !syncs { try write { try $0.execute(sql: "PRAGMA synchronous = NORMAL") } }
    withExtendedLifetime(file) {}
  }

  /// Runs `body` on the writing connection, outside of a transaction.
  func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try library.translating { try library.database.writeWithoutTransaction(body) }
  }

  /// As `Library.requireSpace`, for files with these contents among them. Reads the leftover files that may have one of
  /// the contents: a verified one needs no space. If there is not enough space, removes the other leftover files.
  ///
  /// - Throws: what `Library.requireSpace` throws, or `CancellationError`.
  package func requireSpace(
    _ bytes: Int, reusing contents: [FileContent] = [], _ counter: ProgressCounter
  ) throws {
    try leftovers.verify(contents, counter)
    let needed = max(0, bytes - leftovers.verifiedBytes(of: contents))
    do {
      try library.requireSpace(needed)
    } catch LibraryError.notEnoughSpace {
      leftovers.remove(except: contents)
      try library.requireSpace(needed)
    }
  }

  /// Runs `body` on the writing connection, in one transaction. Durable when it returns, if changes are.
  func transaction(_ body: (Database) throws -> Void) throws {
    try write { database in
      try database.inTransaction(.immediate) {
        try body(database)
        return .commit
      }
    }
  }

  /// Chooses a place for each new photo file: a path that no photo, no replaced photo and no file has. The names of
  /// removed photos are not used again while an undo can bring these back.
  package func newPaths(for files: [(fileName: String, createdAt: Timestamp)]) throws -> [String] {
    let taken = try library.read { database in
      try ["photo", "replacedPhoto"].flatMap { table in
        try database.rows("SELECT path FROM \(table) WHERE NOT isFromAssets", of: table) { row in
          try row.text("path", at: 0)
        }
      }
    }
    var paths = PhotoPath(taken: taken)
    var listings = FolderListings()
    return try files.map { file in
      try paths.next(forFileName: file.fileName, createdAt: file.createdAt) { path in
        if files.count >= FolderListings.minimumPhotos { return try listings.contain(path, in: library.root) }
        return try library.root.status(of: FilePath(path)) != nil
      }
    }
  }

  /// Changes the library: `body` stages files and commits. Nothing stays in `.staging`, even if `body` throws, except a
  /// file that a photo needs. If the commit fails although its transaction took effect, the change stays, and the error
  /// is thrown all the same.
  ///
  /// - Parameter kind: nil for a change that only repairs files.
  @discardableResult
  package func change<Value>(_ kind: Change.Kind?, _ body: (Change) throws -> Value) throws -> Value {
    let change = try Change(kind, writer: self)
    let value: Value
    do {
      value = try body(change)
    } catch {
      if change.hasBegunToCommit { try makeCommitDurable(after: error) }
      // as after an interruption; if this fails too, the next writer does it
      _ = try? LibraryRecovery(writer: self).finish(change.id)
      throw error
    }
    // the change is complete; if this fails, the next writer does it
    if change.hasPendingMoves {
      _ = try? LibraryRecovery(writer: self).finish(change.id)
    } else {
      _ = try? StagingFolder.remove(change.id, from: library.root)
    }
    return value
  }

  /// Gives rows the contents of their files, in one transaction, which undo does not take back. Durable when it returns,
  /// if changes are.
  ///
  /// - Parameter contents: the right contents, by the IDs of the photos.
  package func correct(_ contents: [Int64: FileContent]) throws {
    guard !contents.isEmpty else { return }
    try transaction { database in
      let statement = try database.cachedStatement(sql: "UPDATE photo SET md5 = ?, fileSize = ? WHERE id = ?")
      for (id, content) in contents {
        try statement.execute(arguments: [content.md5.blob, content.size, id])
      }
    }
  }

  /// After a failed commit, moves SQLite's log into the database and flushes it, so that every later reader finds the
  /// same answer. The transaction may be complete in the log and only not flushed: the next process that opens the
  /// database would then find the change committed, with its files removed.
  ///
  /// - Throws: `LibraryError.undecided` if this fails. Then the next writer decides, and no file may be removed before.
  func makeCommitDurable(after failure: any Error) throws(LibraryError) {
    do {
      try write { _ = try $0.checkpoint(.truncate) }
      try library.root.open("library.sqlite-wal", .read).sync()
    } catch {
      throw .undecided(library.path, reason: "\(failure)")
    }
  }
}

extension ProgressCounter {
  /// Says what is being waited for while another process changes the library or deletes photo files, and hears a
  /// cancellation.
  package func reportWaitingForLock() throws {
    try checkCancellation()
    advance(current: "waiting for another process")
  }
}
