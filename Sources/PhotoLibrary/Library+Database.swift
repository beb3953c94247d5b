import FileSystem
import Foundation
internal import GRDB
import SystemPackage

/// Opens the database, and translates its errors.
extension Library {
  /// Checks, without SQLite, that a folder has the database of a library of this version or an older one, on a local
  /// file system.
  static func check(_ root: borrowing Directory) throws -> DatabaseFile {
    let path = root.path
    guard try root.status(of: databaseName)?.kind == .file else {
      try requireNoRemains(root)
      throw LibraryError.notALibrary(path)
    }
    // https://www.sqlite.org/fileformat2.html#the_database_header: user version at byte 60, application id at 68
    let file = try DatabaseFile.shared(databaseName, in: root)
    let header = try file.header(100)
    func number(at offset: Int) -> Int32 { header[offset..<offset + 4].reduce(0) { $0 << 8 | Int32($1) } }
    if header.isEmpty { try requireNoRemains(root) }
    guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8),
      number(at: 68) == Schema.applicationID
    else { throw LibraryError.notALibrary(path) }
    guard number(at: 60) <= Schema.version else { throw LibraryError.newerVersion(path) }
    if let name = try root.fileSystem().networkProtocol {
      throw LibraryError.networkFileSystem(path, protocol: name)
    }
    // SQLite opens these by their names, and would follow a link
    for name in ["library.sqlite-wal", "library.sqlite-shm", "library.sqlite-journal"] as [FilePath] {
      guard let kind = try root.status(of: name)?.kind, kind != .file else { continue }
      throw LibraryError.database(path, reason: "\(name) is not an SQLite database; move it away")
    }
    return file
  }

  static func openFolder(_ path: FilePath) throws -> Directory {
    do {
      return try Directory.open(path)
    } catch {
      throw error.isMissing ? LibraryError.notALibrary(path) : error as any Error
    }
  }

  /// Opens the database and refuses one that a newer version has migrated further than this one knows.
  static func openDatabase(
    _ path: FilePath, _ configuration: Configuration, _ file: DatabaseFile, in root: borrowing Directory
  ) throws -> (DatabaseQueue, WriterExclusion?) {
    func open(_ name: String) throws -> DatabaseQueue {
      let database = try DatabaseQueue(path: name, configuration: configuration)
      if try database.read(Schema.migrator.hasBeenSuperseded) { throw LibraryError.newerVersion(path) }
      return database
    }
    do {
      do {
        return (try open(path.appending(databaseName.components).string), nil)
      } catch let error as DatabaseError where configuration.readonly {
        if isFull(root, after: error), try root.status(of: "library.sqlite-wal")?.size ?? 0 == 0,
          let exclusion = try? WriterExclusion(root)
        {
          return (try open(immutableURI(for: path)), exclusion)
        }
        guard let url = try immutableDatabase(path, after: error) else { throw error }
        return (try open(url), nil)
      }
    } catch let error as DatabaseError {
      throw translation(of: error, file, in: root)
    }
  }

  /// Finds the cause of SQLite's error, which SQLite does not tell exactly: it can report a full disk as an I/O error,
  /// and an unreadable file as a corrupt database.
  static func translation(
    of error: DatabaseError, _ file: DatabaseFile, in root: borrowing Directory
  ) -> any Error {
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
    return LibraryError.database(root.path, reason: reason(of: error, at: root.path))
  }

  /// Returns SQLite's message, with the remedy if there is one.
  static func reason(of error: DatabaseError, at path: FilePath) -> String {
    let reason = error.message ?? error.description
    switch error.resultCode.primaryResultCode {
    case .SQLITE_CANTOPEN where isTooLong(path):
      return "its path is too long for SQLite, which accepts \(longestPath) bytes; "
        + "move the library to a folder with a shorter path"
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: return "\(reason); \(remedy)"
    default: return reason
    }
  }

  /// The remedy for a lost or corrupt database.
  private static let remedy =
    "import the newest backup into a new library"

  /// The maximum length of a database's absolute path: MAX_PATHNAME of SQLite's os_unix.c, less the extension of the
  /// journal.
  private static let longestPath = 504

  private static func isTooLong(_ path: FilePath) -> Bool {
    let folder = path.realPath ?? path
    return folder.appending("library.sqlite.new").length > longestPath
  }

  /// Throws if a folder without a database, or with an empty one, has the lock and photos of a library.
  static func requireNoRemains(_ root: borrowing Directory) throws {
    guard try root.status(of: databaseName)?.size ?? 0 == 0, try root.status(of: "library.lock") != nil,
      try root.status(of: "photos")?.kind == .directory, try !root.directory("photos").names().isEmpty
    else { return }
    throw LibraryError.database(
      root.path, reason: "it is missing or empty, but the folder photos exists; \(remedy)")
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

  /// The URI by which SQLite opens a database that no process changes. https://www.sqlite.org/uri.html#uriimmutable
  private static func immutableURI(for path: FilePath) -> String {
    var url = URL(fileURLWithPath: path.appending(databaseName.components).string).absoluteURL
    url.append(queryItems: [URLQueryItem(name: "immutable", value: "1")])
    return url.absoluteString
  }

  /// Returns the URI of a database on a read-only file system. SQLite makes files beside a database in WAL mode even to
  /// read it; on a read-only file system, such as a snapshot, no process can change the database.
  private static func immutableDatabase(_ path: FilePath, after error: DatabaseError) throws -> String? {
    let code = error.resultCode.primaryResultCode
    guard [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(code) else { return nil }
    let folder = try Directory.open(path)
    switch folder.writeFault() {
    case .readOnlyFileSystem?:
      // SQLite ignores the log of an immutable database
      guard try (folder.status(of: "library.sqlite-wal")?.size ?? 0) == 0 else { return nil }
      return immutableURI(for: path)
    case .permissionDenied?:
      throw LibraryError.database(
        path,
        reason: "SQLite must be able to write to the folder, even to read the database; "
          + "run smilepile as the owner of \(path)")
    default:
      return nil
    }
  }
}
