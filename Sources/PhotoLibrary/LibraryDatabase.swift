import FileSystem
import Foundation
internal import GRDB
import SystemPackage

/// Opening the database, and what its errors mean.
extension Library {
  /// Looks, without SQLite, whether there is a library of ours in a folder, that this version knows and that is safe
  /// where it is.
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
      throw LibraryError.database(path, reason: "\(name) is no file of SQLite's; move it away")
    }
    return file
  }

  static func openFolder(_ path: FilePath) throws -> Directory {
    do {
      return try Directory.open(path)
    } catch {
      throw error.isAbsence ? LibraryError.notALibrary(path) : error as any Error
    }
  }

  /// Opens the database and refuses one that a newer version has migrated further than this one knows.
  static func openDatabase(
    _ path: FilePath, _ configuration: Configuration, _ file: DatabaseFile, in root: borrowing Directory
  ) throws -> (DatabaseQueue, WriterKept?) {
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
          let kept = try? WriterKept(root)
        {
          return (try open(unchanging(path)), kept)
        }
        guard let url = try unchangingDatabase(path, after: error) else { throw error }
        return (try open(url), nil)
      }
    } catch let error as DatabaseError {
      throw meaning(of: error, file, in: root)
    }
  }

  /// What SQLite's error stands for. It tells less than the system does: a full disk is an I/O error to it, and what
  /// it cannot read may be a damaged database.
  static func meaning(
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

  /// What SQLite's error says, with the remedy where there is one.
  static func reason(of error: DatabaseError, at path: FilePath) -> String {
    let reason = error.message ?? error.description
    switch error.resultCode.primaryResultCode {
    case .SQLITE_CANTOPEN where isTooLong(path):
      return "its path is too long for SQLite, which takes \(longestPath) bytes; "
        + "let the library lie in a folder with a shorter path"
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: return "\(reason); \(remedy)"
    default: return reason
    }
  }

  /// What to do where the database is lost.
  private static let remedy =
    "make a new library in another folder, import the newest backup, and add out of photos only the single files "
    + "that it lacks, since a whole folder would add the others a second time"

  /// The most bytes of a database's absolute path: MAX_PATHNAME of SQLite's os_unix.c, less the ending of the journal.
  private static let longestPath = 504

  private static func isTooLong(_ path: FilePath) -> Bool {
    let folder = path.realPath ?? path
    return folder.appending("library.sqlite.new").length > longestPath
  }

  /// Sees that a folder without a database is not what is left of a library, as its lock and its photos tell.
  static func requireNoRemains(_ root: borrowing Directory) throws {
    guard try root.status(of: databaseName) == nil, try root.status(of: "library.lock") != nil,
      try root.status(of: "photos")?.kind == .directory, try !root.directory("photos").names().isEmpty
    else { return }
    throw LibraryError.database(root.path, reason: "it is gone, and photos is there; \(remedy)")
  }

  /// Holds `library.lock` so that no writer comes.
  final class WriterKept: Sendable {
    private let lock: FileLock

    init(_ root: borrowing Directory) throws {
      lock = try FileLock("library.lock", in: root, exclusive: false)
    }
  }

  /// SQLite needs a little room even to read a database, and where there is none calls it an I/O error.
  private static let neededToRead = 64 << 10

  private static func isFull(_ root: borrowing Directory, after error: DatabaseError) -> Bool {
    guard [.SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN].contains(error.resultCode.primaryResultCode) else {
      return false
    }
    return (try? root.fileSystem().freeBytes).map { $0 < neededToRead } ?? false
  }

  /// The database's name for SQLite where nobody changes it. https://www.sqlite.org/uri.html#uriimmutable
  private static func unchanging(_ path: FilePath) -> String {
    var url = URL(fileURLWithPath: path.appending(databaseName.components).string).absoluteURL
    url.append(queryItems: [URLQueryItem(name: "immutable", value: "1")])
    return url.absoluteString
  }

  /// SQLite makes files beside a database in WAL mode even to read it. Where the file system is mounted for
  /// reading alone, as a snapshot, nobody can change the database either.
  private static func unchangingDatabase(_ path: FilePath, after error: DatabaseError) throws -> String? {
    let code = error.resultCode.primaryResultCode
    guard [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(code) else { return nil }
    let folder = try Directory.open(path)
    switch folder.writeFault() {
    case .readOnlyFileSystem?:
      // what stands in a log of another moment could not be read
      guard try (folder.status(of: "library.sqlite-wal")?.size ?? 0) == 0 else { return nil }
      return unchanging(path)
    case .permissionDenied?:
      throw LibraryError.database(
        path,
        reason: "SQLite has to write beside it, even to read it, and may not; "
          + "run this as the owner of \(path)")
    default:
      return nil
    }
  }
}
