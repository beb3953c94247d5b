import FileSystem
import Foundation
internal import GRDB
import Operations
import SystemPackage

/// A library opened for changing: the one writer, by `library.lock`, for as long as the value lives.
///
/// Opening it finishes or removes what a crashed writer left behind. All functions block.
package final class LibraryWriter: Sendable {
  /// The library, for reading.
  package let library: Library
  let lock: FileLock
  /// Whether changes are flushed to the disk.
  let syncs: Bool
  /// How long it waits for others.
  let lockWait: Duration

  /// Takes the lock, opens the database, and recovers.
  ///
  /// - Parameters:
  ///   - lockWait: how long to wait for another writer to end.
  ///   - syncs: without it a power cut may cost what is changed; a kill does not.
  ///   - whileWaiting: called ten times a second meanwhile; may throw to give up.
  /// - Throws: what `Library.init(path:)` throws; `FileLock.Busy` when another process is writing;
  ///   `FileError` when the folder cannot be written.
  package init(
    path: FilePath, lockWait: Duration = .zero, syncs: Bool = true, whileWaiting: () throws -> Void = {}
  ) throws {
    self.syncs = syncs
    self.lockWait = lockWait
    let root = try Library.openFolder(path)
    let file = try Library.check(root)
    // so that a library which is not for this version is not even locked
    _ = try Library(path: path)
    lock = try FileLock("library.lock", in: root, waiting: lockWait, whileWaiting: whileWaiting)
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    library = try Library(path: path, configuration: configuration)
    // not by GRDB's configuration, which sets NORMAL with it, that may lose the last commit with the power, and which
    // makes a table and drops it again to have a log
    try write { try $0.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL") }
    try library.translating { try Schema.migrator.migrate(library.database) }
    // what a crash left was made durable by the writer that crashed, or is taken back
    try recover()
    // NORMAL may lose the last changes with the power, and never damages the database
    if !syncs { try write { try $0.execute(sql: "PRAGMA synchronous = NORMAL") } }
    withExtendedLifetime(file) {}
  }

  /// Runs `body` on the writing connection, outside of a transaction.
  func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try library.translating { try library.database.writeWithoutTransaction(body) }
  }

  /// As `Library.requireSpace`.
  package func requireSpace(_ bytes: Int) throws { try library.requireSpace(bytes) }

  /// Places for new photo files, one each, that no row, no replaced row and no file has. Names are never given
  /// out twice, not even after the photo that had one is gone.
  package func newPaths(for files: [(fileName: String, createdAt: Int64)]) throws -> [String] {
    let taken = try library.read { database in
      try String.fetchAll(
        database,
        sql: "SELECT path FROM photo WHERE NOT isFromAssets UNION SELECT path FROM replacedPhoto")
    }
    var paths = PhotoPath(taken: taken)
    var listed = ListedFolders()
    return try files.map { file in
      try paths.next(forFileName: file.fileName, createdAt: file.createdAt) { path in
        if files.count >= ListedFolders.worthwhile { return try listed.hold(path, in: library.root) }
        return try library.root.status(of: FilePath(path)) != nil
      }
    }
  }

  /// Makes one change to the library, all of it or nothing: `body` stages files and commits. Whatever way it
  /// ends, nothing stays in `.staging`.
  package func change<Value>(_ kind: Change.Kind, _ body: (Change) throws -> Value) throws -> Value {
    let change = try Change(kind, writer: self)
    let value: Value
    do {
      value = try body(change)
    } catch {
      // what the database says decides, as it would after a crash; if this fails too, the next start does it
      if change.hasBegunToCommit { try decideCommit(after: error) }
      _ = try? finish(change.id)
      throw error
    }
    // the change stands, so that nothing from here on is a failure of it: what cannot be removed now is removed
    // by the next writer
    try? removeStaging(change.id)
    return value
  }

  /// After a commit that failed, makes what the database says final. It may stand in SQLite's log all the same,
  /// whole and only not flushed: whoever opened the database after this process would find it made, and its files
  /// removed. So the log is emptied, and that is flushed; where it fails, the next start decides, and nothing may be
  /// removed now.
  ///
  /// - Throws: `LibraryError.undecided`.
  func decideCommit(after failure: any Error) throws(LibraryError) {
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
  package func waitForWriter() throws {
    try checkCancellation()
    advance(current: "waiting for another process")
  }
}
