internal import Databases
import FileSystem
import Foundation
internal import GRDB
import Synchronization
import SystemPackage

/// The observations of this machine about archives, and the history of its operations: one SQLite database,
/// `ledger.sqlite`, in the state folder. Processes share the database. Each change is one durable transaction.
///
/// No operation on archives fails because of the ledger, but a backup of a job refuses one of a newer version. If the
/// database cannot be written, this process continues with a copy in memory, and `problem` has the reason.
public final class Ledger: Sendable {
  private struct State {
    var database: DatabaseQueue?
    /// The owner of `database`; nil for a database in memory.
    var pinned: PinnedDatabase?
    /// The open file of `database`; nil for a database in memory.
    var file: FileStatus.Identity?
    var problem: Problem?
    var olderDatabase: OlderDatabase?

    mutating func close() { (database, pinned, file) = (nil, nil, nil) }
  }

  /// The name of the database in the state folder.
  package static let name: FilePath = "ledger.sqlite"

  private let folder: FilePath?
  private let state: Mutex<State>
  /// Tells which runs are under way; nil for a ledger in memory.
  let runLocks: LedgerRunLocks?

  /// Makes the ledger of a state folder. The first call that reads or writes opens the database; the first call that
  /// writes creates the database, and the folder with mode 0700. These calls block, up to 10 s while another process
  /// writes.
  public init(folder: FilePath) {
    self.folder = folder
    runLocks = LedgerRunLocks(folder: folder)
    state = Mutex(State())
  }

  /// Makes an empty ledger in memory.
  public init() {
    folder = nil
    runLocks = nil
    state = Mutex(State())
    state.withLock { $0.database = Self.inMemory() }
  }

  /// Why the database was replaced or is not used; nil if there is no problem. Opens the database if it exists. Blocks.
  public var problem: Problem? {
    state.withLock { state in
      open(&state, creates: false)
      return state.problem
    }
  }

  /// The problem that this process has found so far; nil if it has not opened the database.
  package var knownProblem: Problem? { state.withLock { $0.problem } }

  /// The database of an older version that this process has renamed; nil if there was none.
  package var olderDatabase: OlderDatabase? { state.withLock { $0.olderDatabase } }

  // MARK: Access

  /// Runs a transaction. Returns nil only if not even a database in memory can be created.
  func write<Value: Sendable>(_ body: (Database) throws -> Value) -> Value? {
    access(creates: true) { try $0.write(body) }
  }

  /// Reads one snapshot. Returns nil if the database does not exist yet.
  func read<Value: Sendable>(_ body: (Database) throws -> Value) -> Value? {
    access(creates: false) { try $0.read(body) }
  }

  /// Reads all rows that a query selects. Returns none if the database does not exist yet.
  ///
  /// - Parameter table: the name of the table in messages.
  func rows<Value: Sendable>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments(), of table: String,
    _ value: (RowReader) throws -> Value
  ) -> [Value] {
    read { try $0.rows(sql, arguments, of: table, value) } ?? []
  }

  private func access<Value: Sendable>(
    creates: Bool, _ body: (DatabaseQueue) throws -> Value
  ) -> Value? {
    state.withLock { state in
      open(&state, creates: creates)
      for attempt in 1...2 {
        guard let database = state.database else { return nil }
        do {
          return try body(database)
        } catch {
          recover(from: error, &state, isIntact: attempt == 2)
        }
      }
      return state.database.flatMap { try? body($0) }
    }
  }

  /// Opens the database, or opens it again if its file was deleted or replaced, because observations in a deleted
  /// file are lost.
  private func open(_ state: inout State, creates: Bool) {
    guard let folder else { return }
    if let file = state.file, Self.identity(in: folder) != file { state.close() }
    guard state.database == nil, creates || Self.mayExist(in: folder) else { return }
    Self.open(folder, &state)
  }

  /// Returns true also if the folder cannot be searched, or if its path leads through a link to an unmounted disk.
  private static func mayExist(in folder: FilePath) -> Bool {
    do throws(FileError) {
      return try Directory.open(folder).status(of: name) != nil
    } catch {
      return !error.isMissing || isAnyLinkBroken(in: folder)
    }
  }

  private static func isAnyLinkBroken(in path: FilePath) -> Bool {
    guard let name = path.lastComponent else { return false }
    do throws(FileError) {
      return try Directory.open(path.folder).status(of: FilePath(name.string)) != nil
    } catch {
      return isAnyLinkBroken(in: path.folder)
    }
  }

  /// - Parameter isIntact: true if the database was found intact after it had failed. Then it has a row that no version
  ///   writes, and is replaced like a corrupt one.
  private func recover(from error: any Error, _ state: inout State, isIntact: Bool) {
    guard let folder, let file = state.file else { return }
    if Self.isCorruption(error) {
      (state.database, state.pinned) = (nil, nil)
      return Self.open(folder, &state, replacing: isIntact ? file : nil)
    }
    let copy = Self.inMemory()
    // the copy has the content of the file
    if let copy, let database = state.database { try? database.backup(to: copy) }
    (state.database, state.pinned, state.file) = (copy, nil, nil)
    state.problem = .unusable(folder.appending(Self.name.components), reason: Self.reason(error))
  }

  // MARK: Opening

  /// - Parameter forged: a database to replace although SQLite finds it intact.
  private static func open(
    _ folder: FilePath, _ state: inout State, replacing forged: FileStatus.Identity? = nil
  ) {
    let path = name.inFolder(folder)
    state.close()
    do {
      try Directory.makeAll(folder)
      let opened = OpenFolder(try Directory.open(folder))
      try Ownership.require(opened.directory)
      try requireOwnership(opened.directory)
      let pinned: PinnedDatabase
      do {
        pinned = try openFile(in: opened, except: forged)
      } catch  where isUnusable(error) {
        try moveAside(in: opened, forged, &state)
        pinned = try openFile(in: opened)
      }
      (state.pinned, state.database) = (pinned, pinned.queue)
      state.file = try opened.directory.status(of: name)?.identity
    } catch DatabaseSchema.OtherVersion.newer {
      state.problem = .newerVersion(path)
    } catch {
      state.problem = .unusable(path, reason: reason(error))
    }
    if state.database == nil { state.database = inMemory() }
  }

  /// Throws if another user can change the database.
  private static func requireOwnership(_ folder: borrowing Directory) throws {
    guard !Ownership.isTrusted(folder.path) else { return }
    for suffix in ["", "-wal", "-shm", "-journal"] {
      let name = FilePath(name.string + suffix)
      guard let status = try folder.status(of: name) else { continue }
      try Ownership.require(status, inOwnFolderAt: folder.path(of: name))
    }
  }

  /// - Parameter forged: a database to refuse although SQLite finds it intact.
  private static func openFile(
    in folder: OpenFolder, except forged: FileStatus.Identity? = nil
  ) throws -> PinnedDatabase {
    if let forged, try folder.directory.status(of: name)?.identity == forged {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT)
    }
    let pinned = try PinnedDatabase(name, in: folder, .waiting())
    let database = pinned.queue
    try LedgerSchema.ledger.createIfEmpty(database)
    try database.read { database in
      try LedgerSchema.ledger.check(database)
      guard try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok" else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT)
      }
    }
    // a database that cannot be written is read all the same
    try? LedgerSchema.ledger.repairNumbers(of: database)
    return pinned
  }

  private static func inMemory() -> DatabaseQueue? {
    guard let database = try? DatabaseQueue() else { return nil }
    try? database.write(LedgerSchema.ledger.create)
    return database
  }

  private static func identity(in folder: FilePath) -> FileStatus.Identity? {
    try? Directory.open(folder).status(of: name)?.identity
  }

  // MARK: Corruption

  private static func isCorruption(_ error: any Error) -> Bool {
    guard let error = DatabaseError(ofQuery: error) else { return false }
    return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode.primaryResultCode)
  }

  /// Returns true if an error of opening can mean that the database is corrupt, or if an older version wrote it.
  private static func isUnusable(_ error: any Error) -> Bool {
    if case DatabaseSchema.OtherVersion.older = error { return true }
    return DatabaseError(ofQuery: error)?.mayBeDamage ?? false
  }

  /// Renames a database that is corrupt or of an older version, unless another process has replaced it meanwhile.
  private static func moveAside(
    in folder: OpenFolder, _ forged: FileStatus.Identity?, _ state: inout State
  ) throws {
    let lock = try FolderLock(folder.directory.path, exclusive: true, waiting: .seconds(10))
    defer { withExtendedLifetime(lock) {} }
    do {
      _ = try openFile(in: folder, except: forged)
    } catch  where isUnusable(error) {
      let isOlder = error is DatabaseSchema.OtherVersion
      let day = Date().formatted(.iso8601.year().month().day())
      let names = [""] + (2...1000).map { "-\($0)" }
      for new in names.map({ FilePath("\(name).\(isOlder ? "older" : "corrupt")-\(day)\($0)") })
      where try folder.directory.status(of: new) == nil {
        try folder.directory.replace(new, with: name)
        _ = try folder.directory.remove(FilePath("\(name)-journal"))
        try folder.directory.sync()
        let path = folder.directory.path(of: new)
        if isOlder {
          state.olderDatabase = OlderDatabase(path: path)
        } else {
          state.problem = .movedAside(to: path)
        }
        return
      }
      throw error
    }
  }

  private static func reason(_ error: any Error) -> String { (error as? DatabaseError)?.reason ?? "\(error)" }
}
