import CSQLite
internal import FileSystem
package import GRDB
internal import GRDBSQLite
import Operations
package import SystemPackage

/// A database in an open folder. SQLite opens, creates and deletes the database, its log and its journal by the
/// folder's descriptor and never by its path: another process that renames or replaces the folder cannot lead SQLite
/// elsewhere. SQLite itself refuses a symbolic link in the place of one of these files.
///
/// The database is untrusted input. The connection ignores triggers and views, trusts no function that the schema
/// calls, and cannot change the schema's text. A cancellation of the `Work` that opens the database interrupts a
/// statement that does not end.
package final class PinnedDatabase: Sendable {
  /// The connection. Only this value closes it.
  package let queue: DatabaseQueue
  /// Nil for a database in memory.
  private let folder: OpenFolder?
  /// Interrupts statements.
  private let counter: ProgressCounter?

  /// Opens a database. Blocks. The caller checks the schema before anything else.
  ///
  /// - Parameters:
  ///   - isImmutable: true if no process can change the file. SQLite then uses neither locks nor a log.
  ///     https://www.sqlite.org/uri.html#uriimmutable
  /// - Throws: `DatabaseError`, whose message does not name the database.
  package init(
    _ name: FilePath, in folder: OpenFolder, _ configuration: Configuration, isImmutable: Bool = false
  ) throws {
    try Self.registration.get()
    let counter = ProgressCounter.running
    let configuration = Self.restricting(configuration, counter)
    let path = name.inFolder(folder.directory.descriptorPath)
    let options = isImmutable ? "&immutable=1" : ""
    queue = try DatabaseQueue(
      path: "file:\(path)?vfs=smilepile-pinned\(options)", configuration: configuration)
    self.folder = folder
    self.counter = counter
  }

  /// Opens a copy of a database in memory, which cannot be changed. Blocks.
  ///
  /// - Parameters:
  ///   - count: the number of bytes, at most 1 GiB.
  ///   - fill: writes the bytes of the database, whose header must not have WAL mode. https://www.sqlite.org/c3ref/deserialize.html
  /// - Throws: `DatabaseError`, or what `fill` throws.
  package init(bytes count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
    let counter = ProgressCounter.running
    queue = try DatabaseQueue(configuration: Self.restricting(Configuration(), counter))
    folder = nil
    self.counter = counter
    guard let memory = sqlite3_malloc64(UInt64(count)) else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    do {
      try fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
    } catch {
      sqlite3_free(memory)
      throw error
    }
    try queue.inDatabase { database in
      // frees the memory, even if it fails
      let code = sqlite3_deserialize(
        database.sqliteConnection, "main", memory.assumingMemoryBound(to: UInt8.self), Int64(count),
        Int64(count),
        UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY))
      guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
      database.clearSchemaCache()
    }
  }

  private static func restricting(
    _ configuration: Configuration, _ counter: ProgressCounter?
  ) -> Configuration {
    var configuration = configuration
    configuration.prepareDatabase { database in
      try database.restrict()
      if let counter { database.interrupt(after: counter) }
    }
    return configuration
  }

  /// Closes the connection, and reports a failure.
  package func close() throws { try queue.close() }

  deinit {
    // SQLite needs the descriptor until it has deleted its log
    do {
      try queue.close()
    } catch {
      if let folder { _ = Unmanaged.passRetained(folder) }
    }
  }

  private static let registration: Result<Void, DatabaseError> = {
    let code = smilepile_register_pinned_vfs()
    return code == 0 ? .success(()) : .failure(DatabaseError(resultCode: ResultCode(rawValue: code)))
  }()
}

extension Configuration {
  /// Returns a configuration that waits up to 10 s for the locks of other processes.
  package static func waiting(readonly: Bool = false) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readonly
    configuration.busyMode = .timeout(10)
    return configuration
  }
}

extension Database {
  /// Interrupts a statement that runs after a cancellation (`SQLITE_INTERRUPT`). Only statements with millions of steps
  /// are interrupted, so that a cancelled operation can still roll back and clean up. The counter must exist as long as
  /// the connection. https://www.sqlite.org/c3ref/progress_handler.html
  fileprivate func interrupt(after counter: ProgressCounter) {
    sqlite3_progress_handler(
      sqliteConnection, 5_000_000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<ProgressCounter>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
      }, Unmanaged.passUnretained(counter).toOpaque())
  }

  /// Restricts the connection to what an untrusted database may do.
  fileprivate func restrict() throws {
    let code = smilepile_restrict(sqliteConnection)
    guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    try execute(sql: "PRAGMA cell_size_check = ON")
  }
}
