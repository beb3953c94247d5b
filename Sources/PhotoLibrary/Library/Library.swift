package import Databases
import FileSystem
internal import GRDB
import SystemPackage

/// A photo library, opened for reading: a folder with `library.sqlite` and `photos/`.
///
/// Readers are never blocked by a writer and never block one: they read a snapshot of the database. Photo
/// files are written once and never changed in place. All functions block.
public final class Library: Sendable {
  /// The library's folder, as the caller gave it.
  public let path: FilePath
  /// The library's folder; everything in it is opened from here.
  var root: Directory { _read { yield folder.directory } }
  package let folder: OpenFolder
  let photoFolders = PhotoFolders()
  private let pinned: PinnedDatabase
  var database: DatabaseQueue { pinned.queue }
  /// Excludes writers while the database is read as immutable.
  private let writerExclusion: WriterExclusion?
  /// Closed after the connection to the database.
  private let file: DatabaseFile

  static let databaseName: FilePath = "library.sqlite"
  /// The folder of the cache of pictures.
  package static let pictureCache: FilePath = ".cache"
  /// The files in the folder of the cache.
  package static let pictureCacheFiles: [FilePath] = [
    "CACHEDIR.TAG", "pictures.lock", "pictures.sqlite", "pictures.sqlite-journal", "views.sqlite",
    "views.sqlite-journal",
  ]
  /// The files of the database: that of its name first.
  static let databaseFiles = ["", "-wal", "-shm", "-journal"].map { FilePath(databaseName.string + $0) }

  /// Opens a library for reading. It writes only SQLite's files `-shm` and `-wal`.
  ///
  /// - Throws: `LibraryError` if the folder is not a library, is of another version, is on a network file system, or
  ///   its database is corrupt. `FileError` if it cannot be opened.
  public convenience init(path: FilePath) throws { try self.init(in: Self.openFolder(path)) }

  /// Opens the library of an open folder, by default for reading. SQLite uses no other folder.
  init(in folder: OpenFolder, configuration: Configuration = .waiting(readonly: true)) throws {
    self.folder = folder
    path = folder.directory.path
    file = try Self.check(folder.directory)
    (pinned, writerExclusion) = try Self.openDatabase(configuration, file, in: folder)
  }

  /// Returns the library that a folder is, or that contains it; nil if there is none, or no such folder. Follows
  /// symbolic links. Blocks.
  public static func enclosing(_ folder: FilePath) -> FilePath? {
    guard var folder = folder.realPath else { return nil }
    while !folder.components.isEmpty {
      if isLibrary(folder) { return folder }
      folder.removeLastComponent()
    }
    return nil
  }

  /// Refuses to write a file into the folder of any library, in which it would be untracked. Blocks.
  ///
  /// - Throws: `LibraryError.outputInLibrary`.
  package static func requireOutside(_ file: FilePath) throws(LibraryError) {
    if let library = enclosing(file.folder) { throw .outputInLibrary(file, library: library) }
  }

  /// Returns true if a folder has the database and the photo folder. A database alone may be a copy.
  private static func isLibrary(_ path: FilePath) -> Bool {
    guard let folder = try? Directory.open(path), (try? folder.status(of: databaseName)) != nil else {
      return false
    }
    return (try? folder.status(of: "photos"))?.kind == .directory
  }

  /// Throws if the file system lacks space for `bytes`, one percent more, and 4 MiB for the database and the file
  /// system's records.
  ///
  /// - Throws: `LibraryError.notEnoughSpace`, or `FileError`.
  public func requireSpace(_ bytes: Int) throws {
    try root.fileSystem().requireSpace(bytes, margin: bytes / 100 + 4 << 20) {
      LibraryError.notEnoughSpace(path, needed: $0, free: $1)
    }
  }

  /// Everything in the library at one moment.
  public func contents() throws -> LibraryContents {
    try read(LibraryContents.init)
  }

  /// The library's categories, by position, then id.
  public func categories() throws -> [Category] { try read(LibraryContents.categories) }

  /// Counts rows and bytes of photo files. SQLite counts; no row is read into memory.
  public func totals() throws -> (photos: Int, categories: Int, bytes: Int) {
    try read { database in
      let limit = try RowLimit(database)
      // sum() fails if the sum exceeds an integer; the conversion limits it
      let sql = """
        SELECT count(*), max(0, CAST(total(iif(isFromAssets, 0, fileSize)) AS INTEGER))
        FROM (SELECT isFromAssets, fileSize FROM photo LIMIT \(limit.all + 1))
        """
      let photos = try database.firstRow(sql, of: "photo") { row in
        (count: try row.count("count", at: 0), bytes: try row.count("fileSize", at: 1))
      }
      try limit.check(photos?.count ?? 0, of: "photo")
      return (photos?.count ?? 0, try database.rowCount(of: "category"), photos?.bytes ?? 0)
    }
  }

  /// Counts the photos of each category, by its ID. SQLite counts; no row is read into memory.
  package func photoCounts() throws -> [Int64: Int] {
    try read { database in
      let counts = try database.rows(
        "SELECT categoryId, count(*) FROM photo INDEXED BY photoCategory GROUP BY categoryId", of: "photo"
      ) { (try $0.integer("categoryId", at: 0), try $0.count("count", at: 1)) }
      return Dictionary(counts, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The library ID, which is in its archives; nil if its row is missing.
  public func libraryID() throws -> String? {
    try read { try String.fetchOne($0, sql: "SELECT uuid FROM identity") }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try translating { try database.read(body) }
  }

  /// Runs `body`, and translates SQLite's errors to `FileError` or `LibraryError`.
  func translating<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as DatabaseError {
      if [.SQLITE_IOERR, .SQLITE_FULL].contains(error.resultCode.primaryResultCode),
        let cause = database.unsafeReentrantRead({ $0.lastFileError(in: path, Self.databaseName) })
      {
        throw cause
      }
      throw Self.translation(of: danglingReference(after: error) ?? error, file, in: root)
    } catch {
      throw DatabaseError(decoding: error).map { Self.translation(of: $0, file, in: root) } ?? error
    }
  }

  /// Returns an error that names a row which refers to a missing row. SQLite's own message names neither.
  private func danglingReference(after error: DatabaseError) -> DatabaseError? {
    guard error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY else { return nil }
    let violation = try? database.read { try $0.foreignKeyViolations().next() }
    return violation.map { violation in
      let row = violation.originRowID.map { " \($0)" } ?? ""
      return DatabaseError(
        resultCode: .SQLITE_CORRUPT,
        message: "\(violation.originTable)\(row): its row in \(violation.destinationTable) is missing")
    }
  }

  /// The identity of the library's folder.
  package var identity: FileStatus.Identity { get throws(FileError) { try root.status().identity } }
}
