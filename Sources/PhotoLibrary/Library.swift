import Checksums
import FileSystem
import Foundation
internal import GRDB
import SystemPackage

/// A photo library, opened for reading: a folder with `library.sqlite` and `photos/`.
///
/// Readers are never blocked by a writer and never block one: they read a snapshot of the database. Photo
/// files are written once and never changed in place. All functions block.
public final class Library: Sendable {
  /// Where the library lies.
  public let path: FilePath
  /// The library's folder; everything in it is opened from here.
  let root: Directory
  private let folders = PhotoFolders()
  let database: DatabaseQueue
  /// Keeps writers away where the database is read as one that does not change.
  private let quiet: WriterKept?
  /// Goes after the database's own connection.
  private let file: DatabaseFile

  static let databaseName: FilePath = "library.sqlite"

  /// Opens a library for reading. Nothing in the folder is written but SQLite's own `-shm` and `-wal`.
  ///
  /// - Throws: `LibraryError` if the folder is no library, is from a newer version, lies on a network file
  ///   system, or its database is damaged. `FileError` if it cannot be opened.
  public convenience init(path: FilePath) throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    try self.init(path: path, configuration: configuration)
  }

  init(path: FilePath, configuration: Configuration) throws {
    self.path = path
    root = try Self.openFolder(path)
    file = try Self.check(root)
    (database, quiet) = try Self.openDatabase(path, configuration, file, in: root)
  }

  /// The library that a folder is, or lies in, links followed; nil if there is none, or no such folder. Blocks.
  public static func holding(_ folder: FilePath) -> FilePath? {
    guard var folder = folder.realPath else { return nil }
    while !folder.components.isEmpty {
      if isLibrary(folder) { return folder }
      folder.removeLastComponent()
    }
    return nil
  }

  /// Whether a folder has what every library has. A database alone may be somebody's copy of one.
  private static func isLibrary(_ path: FilePath) -> Bool {
    guard let folder = try? Directory.open(path), (try? folder.status(of: databaseName)) != nil else {
      return false
    }
    return (try? folder.status(of: "photos"))?.kind == .directory
  }

  /// Refuses work for which there is no room, before anything is written. A hundredth, and 4 MiB for the
  /// database and the file system's own records, come on top of `bytes`.
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

  /// How much the library holds: rows, and bytes of photo files. SQLite counts; no row is read into memory.
  public func totals() throws -> (photos: Int, categories: Int, bytes: Int) {
    try read { database in
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT (SELECT count(*) FROM photo), (SELECT count(*) FROM category),
            (SELECT coalesce(sum(fileSize), 0) FROM photo WHERE NOT isFromAssets)
          """)
      return (row?[0] ?? 0, row?[1] ?? 0, row?[2] ?? 0)
    }
  }

  /// The library's own number, which its archives bear; nil in one that no writer of this version has opened yet.
  public func uuid() throws -> String? {
    try read { database in
      guard try database.tableExists("identity") else { return nil }
      return try String.fetchOne(database, sql: "SELECT uuid FROM identity")
    }
  }

  /// What the app shows of each category, by id.
  func categoryNames() throws -> [Int64: String] {
    try read { database in
      let rows = try Row.fetchAll(database, sql: "SELECT id, displayName FROM category")
      return Dictionary(rows.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try translating { try database.read(body) }
  }

  /// Gives SQLite's errors the library's path.
  func translating<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as DatabaseError {
      if [.SQLITE_IOERR, .SQLITE_FULL].contains(error.resultCode.primaryResultCode),
        let cause = database.unsafeReentrantRead({ $0.lastFileError(in: path, Self.databaseName) })
      {
        throw cause
      }
      throw Self.meaning(of: error, file, in: root)
    }
  }

  /// Opens a photo's file for reading. A symbolic link on the way is refused (ELOOP).
  package func open(_ photo: Photo) throws(FileError) -> File { try openPhoto(at: photo.path) }

  /// Opens a photo's file by the row's path in the library.
  package func openPhoto(at path: String) throws(FileError) -> File { try folders.open(path, in: root) }

  /// Whether a photo's file is there and its bytes are those of its row. Reads the whole file; `whileReading` is
  /// called between its pieces, and may throw to give up.
  public func holds(_ photo: Photo, whileReading: () throws -> Void = {}) throws -> Bool {
    do {
      let (digest, size) = try MD5Digest.ofFile(open(photo)) { _ in try whileReading() }
      return digest == photo.md5 && size == photo.fileSize
    } catch is FileError {
      return false
    }
  }

  /// Whether a photo's file is there as it was imported: with the length and the date that it got then, or else with
  /// the row's bytes.
  ///
  /// - Throws: `FileError` where nobody can tell.
  func isUnchanged(_ photo: Photo) throws -> Bool {
    guard let status = try root.status(of: FilePath(photo.path)), status.kind == .file,
      status.size == photo.fileSize
    else { return false }
    return try status.modified == photo.createdAt || MD5Digest.ofFile(open(photo)).digest == photo.md5
  }

  /// The library's folder, for what is asked about its disk.
  package var identity: FileStatus.Identity { get throws(FileError) { try root.status().identity } }

  /// How long readers wait, unless they are told otherwise, for a writer that is deleting photo files: that takes
  /// moments, and is no reason for an export to fail.
  public static let readersWait: Duration = .seconds(60)

  /// Keeps photo files from being deleted while `body` runs; exports read under it. A writer that is deleting
  /// some just now is waited for, and `whileWaiting` may throw to give up. Where the lock file can be neither written
  /// nor read, or is not there and cannot be made, nothing is locked: the owner may delete photos meanwhile, and those are
  /// named as missing.
  ///
  /// - Throws: `FileLock.Busy` if the writer does not end in time, or what `body` throws.
  public func holdingPhotos<Value>(
    lockWait: Duration = readersWait, whileWaiting: () throws -> Void = {}, _ body: () throws -> Value
  ) throws -> Value {
    let lock: FileLock
    do {
      lock = try FileLock(
        "readers.lock", in: root, exclusive: false, waiting: lockWait, whileWaiting: whileWaiting)
    } catch let error as FileError where [.readOnlyFileSystem, .permissionDenied].contains(error.errno) {
      return try body()
    }
    let value = try body()
    lock.release()
    return value
  }

  /// What the kernel knows of the photos' files, in the photos' order. Each folder is opened once.
  package func statuses(of photos: [Photo]) -> [Result<FileStatus, FileError>] {
    var results = [Result<FileStatus, FileError>?](repeating: nil, count: photos.count)
    // most photos lie where the one before lies
    var byFolder: [FilePath: [Int]] = [:]
    var folder: Substring = ""
    var indices: [Int] = []
    for index in photos.indices {
      let next = photos[index].path.folderAndName.folder
      // bytes, since two names that are one to Swift are two to the kernel
      if !next.utf8.elementsEqual(folder.utf8) {
        byFolder[FilePath(String(folder)), default: []] += indices
        (folder, indices) = (next, [])
      }
      indices.append(index)
    }
    byFolder[FilePath(String(folder)), default: []] += indices
    for (folder, indices) in byFolder where !indices.isEmpty {
      do throws(FileError) {
        let directory = try root.directory(folder)
        for index in indices {
          let name = FilePath(String(photos[index].path.folderAndName.name))
          results[index] = Self.status(of: name, in: directory)
        }
      } catch {
        for index in indices { results[index] = .failure(error) }
      }
    }
    return results.compactMap { $0 }
  }

  private static func status(
    of name: FilePath, in folder: borrowing Directory
  ) -> Result<FileStatus, FileError> {
    do throws(FileError) {
      if let status = try folder.status(of: name) { return .success(status) }
      return .failure(FileError("open", folder.path(of: name), .noSuchFileOrDirectory))
    } catch {
      return .failure(error)
    }
  }
}

/// Everything in a library at one moment, read in one transaction.
public struct LibraryContents: Sendable, Equatable {
  /// By position, then id.
  public var categories: [Category]
  /// By id.
  public var photos: [Photo]
  /// The app's settings.
  public var settings: Settings

  /// Makes contents of these parts.
  public init(categories: [Category], photos: [Photo], settings: Settings) {
    self.categories = categories
    self.photos = photos
    self.settings = settings
  }

  init(_ database: Database) throws {
    categories = try Self.categories(database)
    photos = try Photo.fetchAll(
      database, sql: "SELECT \(Photo.columns(database)) FROM photo ORDER BY id",
      expecting: Int.fetchOne(database, sql: "SELECT count(*) FROM photo") ?? 0)
    guard let settings = try Settings.fetchOne(database, sql: "SELECT * FROM settings") else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the settings record is gone")
    }
    self.settings = settings
  }

  fileprivate static func categories(_ database: Database) throws -> [Category] {
    try Category.fetchAll(database, sql: "SELECT * FROM category ORDER BY position, id")
  }
}

extension Date {
  /// Milliseconds since 1970, as the apps count; a date beyond what fits is cut to the nearest that does.
  public var milliseconds: Int64 {
    // to the nearest: a date is kept as a binary fraction of a second, which may be a little less than was meant
    let value = (timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }

  /// The date that the apps mean by these milliseconds since 1970.
  public init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
