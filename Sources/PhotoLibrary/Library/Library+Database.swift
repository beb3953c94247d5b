internal import Databases
import FileSystem
internal import GRDB
import SystemPackage

/// Opens the database, and translates its errors.
extension Library {
  /// Checks, without SQLite, that a folder has the database of a library, on a local file system.
  static func check(_ root: borrowing Directory) throws -> DatabaseFile {
    let path = root.path
    guard try root.status(of: databaseName)?.kind == .file else {
      try requireNoRemains(root)
      throw LibraryError.notALibrary(path)
    }
    if try LostDatabases.unfinishedRebuild(in: root) != nil {
      throw LibraryError.corruptDatabase(path, reason: "a rebuild was interrupted")
    }
    let file = try DatabaseFile.shared(databaseName, in: root)
    let header = try file.header(DatabaseHeader.length)
    guard DatabaseHeader.isOfLibrary(header) else {
      try requireNoRemains(root, hasDatabase: true)
      throw LibraryError.notALibrary(path)
    }
    if let name = try root.fileSystem().networkProtocol {
      throw LibraryError.networkFileSystem(path, protocol: name)
    }
    // SQLite would report these as a database that it cannot open
    for name in databaseFiles.dropFirst() {
      guard let kind = try root.status(of: name)?.kind, kind != .file else { continue }
      throw LibraryError.database(path, reason: "\(name) is not an SQLite database; move it away")
    }
    try requireOwnership(root)
    return file
  }

  /// The files and folders that this program makes in the folder of a library. They must belong to its owner.
  static let ownedNames =
    databaseFiles + [
      "library.lock", "readers.lock", "photos", ".staging", ".undo", ".rotten", ".lost", pictureCache,
    ]

  /// Throws if another user can change the database, the locks, or the folders of files.
  static func requireOwnership(_ root: borrowing Directory) throws {
    guard !Ownership.isTrusted(root.path) else { return }
    for name in ownedNames {
      guard let status = try root.status(of: name), status.kind != .symbolicLink else { continue }
      try Ownership.require(
        status, inOwnFolderAt: root.path(of: name),
        names: 1 + LostDatabases.folders(with: name, status, in: root).count)
    }
    try requireOwnedFolders(in: "photos", of: root, depth: 2)
  }

  /// Throws if another user can change a folder of photos. A folder that cannot be listed passes: its photos cannot be
  /// read either.
  ///
  /// - Parameter depth: 2 for the folder with a folder for each year, which has those of the months.
  private static func requireOwnedFolders(
    in name: FilePath, of parent: borrowing Directory, depth: Int
  ) throws {
    do {
      let folder = try parent.directory(name)
      for name in try folder.names() {
        guard let status = try folder.status(of: name), status.kind == .directory else { continue }
        try Ownership.require(status, inOwnFolderAt: folder.path(of: name))
        if depth > 1 { try requireOwnedFolders(in: name, of: folder, depth: depth - 1) }
      }
    } catch let error as FileError where error.cause != .environment {
    }
  }

  /// Opens the folder of a library that only this user or root can change.
  ///
  /// - Throws: `LibraryError.notALibrary`, `.otherOwner`, `OwnershipError`, or `FileError`.
  static func openFolder(_ path: FilePath) throws -> OpenFolder {
    do {
      return try openOwnFolder(path)
    } catch let error as FileError where error.isMissing {
      throw LibraryError.notALibrary(path)
    }
  }

  /// Opens a folder that only this user or root can change.
  ///
  /// - Throws: `LibraryError.otherOwner`, `OwnershipError`, or `FileError`.
  static func openOwnFolder(_ path: FilePath) throws -> OpenFolder {
    let folder = OpenFolder(try Directory.open(path))
    do {
      try Ownership.require(folder.directory)
      return folder
    } catch let error as OwnershipError {
      guard case .owner(let user) = error.control else { throw error }
      throw LibraryError.otherOwner(path, user)
    }
  }

  /// Opens the database, and refuses one with another schema.
  static func openDatabase(
    _ configuration: Configuration, _ file: DatabaseFile, in folder: OpenFolder
  ) throws -> (PinnedDatabase, WriterExclusion?) {
    func open(_ configuration: Configuration, isImmutable: Bool) throws -> PinnedDatabase {
      let database = try PinnedDatabase(databaseName, in: folder, configuration, isImmutable: isImmutable)
      try database.queue.read(Schema.library.check)
      return database
    }
    do {
      if try DatabaseHeader.version(in: file.header(DatabaseHeader.length)) != Int(Schema.library.version) {
        // as an immutable database, since SQLite would leave its log beside one of another version. If anything else is
        // wrong, it is found again below
        do { _ = try open(.waiting(readonly: true), isImmutable: true) } catch is DatabaseError {}
      }
      do {
        return (try open(configuration, isImmutable: false), nil)
      } catch let error as DatabaseError where configuration.readonly {
        if isFull(folder.directory, after: error),
          try folder.directory.status(of: "library.sqlite-wal")?.size ?? 0 == 0,
          let exclusion = try? WriterExclusion(folder.directory)
        {
          return (try open(configuration, isImmutable: true), exclusion)
        }
        guard try isImmutable(folder.directory, after: error) else { throw error }
        return (try open(configuration, isImmutable: true), nil)
      }
    } catch let version as DatabaseSchema.OtherVersion {
      let path = folder.directory.path
      throw version == .older ? LibraryError.olderVersion(path) : .newerVersion(path)
    } catch let error as DatabaseError {
      throw translation(of: error, file, in: folder.directory)
    } catch {
      throw DatabaseError(decoding: error).map { translation(of: $0, file, in: folder.directory) } ?? error
    }
  }

  /// Finds the cause of SQLite's error, which SQLite does not tell exactly: it can report a full disk as an I/O error,
  /// and an unreadable file as a corrupt database.
  static func translation(
    of error: DatabaseError, _ file: DatabaseFile, in root: borrowing Directory
  ) -> any Error {
    if error.resultCode.primaryResultCode == .SQLITE_INTERRUPT { return CancellationError() }
    if isFull(root, after: error), let free = try? root.fileSystem().freeBytes {
      return LibraryError.notEnoughSpace(root.path, needed: neededToRead, free: free)
    }
    let code = error.resultCode.primaryResultCode
    if code == .SQLITE_FULL { return FileError("write", root.path(of: databaseName), .noSpace) }
    if [.SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOTADB].contains(code) {
      do throws(FileError) {
        try file.readAll()
        let log: FilePath = "library.sqlite-wal"
        if try root.status(of: log) != nil { try root.open(log, .read).readAll() }
      } catch {
        return error
      }
    }
    return databaseError(error, at: root.path)
  }

  /// Describes SQLite's error, with what to do about it if its message does not tell it.
  static func databaseError(_ error: DatabaseError, at path: FilePath) -> LibraryError {
    let reason = error.reason
    switch error.resultCode.primaryResultCode {
    // with the checked schema no statement has an error
    case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR: return .corruptDatabase(path, reason: reason)
    case .SQLITE_READONLY where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK:
      return .database(
        path,
        reason: "another program was interrupted while it changed the database; "
          + "run .tables in sqlite3, which restores the state before the change")
    case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH:
      // most of these messages name neither a table nor a row
      let words = error.sql?.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(1000)
      return .database(path, reason: words.map { "\(reason), in the statement \($0)" } ?? reason)
    default: return .database(path, reason: reason)
    }
  }

  /// Throws if a folder without a database, or with an empty one, has the lock and photos of a library.
  ///
  /// - Parameter hasDatabase: true to throw also if the folder has another file in the place of the database.
  static func requireNoRemains(_ root: borrowing Directory, hasDatabase: Bool = false) throws {
    let isEmpty = try root.status(of: databaseName)?.size ?? 0 == 0
    guard isEmpty || hasDatabase, try root.status(of: "library.lock") != nil,
      try root.status(of: "photos")?.kind == .directory, try !root.directory("photos").names().isEmpty
    else { return }
    throw LibraryError.corruptDatabase(
      root.path,
      reason: isEmpty
        ? "it is missing or empty, but the folder photos exists" : "it is not the database of a library")
  }

  /// Excludes writers by a shared lock on `library.lock`.
  final class WriterExclusion: Sendable {
    private let lock: FileLock

    init(_ root: borrowing Directory) throws {
      lock = try FileLock("library.lock", in: root, exclusive: false)
    }
  }

  /// SQLite needs a little space even to read a database, and reports an I/O error if there is none.
  private static let neededToRead = 64 << 10

  private static func isFull(_ root: borrowing Directory, after error: DatabaseError) -> Bool {
    guard [.SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN].contains(error.resultCode.primaryResultCode) else {
      return false
    }
    return (try? root.fileSystem().freeBytes).map { $0 < neededToRead } ?? false
  }

  /// Returns true if the database is on a read-only file system, such as a snapshot, where no process can change it.
  /// SQLite makes files beside a database in WAL mode even to read it.
  private static func isImmutable(
    _ folder: borrowing Directory, after error: DatabaseError
  ) throws -> Bool {
    let code = error.resultCode.primaryResultCode
    guard [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(code) else { return false }
    switch folder.writeFault() {
    case .readOnlyFileSystem?:
      // SQLite ignores the log and the journal of an immutable database
      return try ["library.sqlite-wal", "library.sqlite-journal"].allSatisfy { name in
        try folder.status(of: name)?.size ?? 0 == 0
      }
    case .permissionDenied?:
      throw LibraryError.database(
        folder.path,
        reason: "SQLite must be able to write to the folder, even to read the database; "
          + "run smilepile as the owner of \(folder.path)")
    default:
      return false
    }
  }
}
