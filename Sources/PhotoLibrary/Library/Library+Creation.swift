internal import Databases
import FileSystem
import Foundation
internal import GRDB
import SystemPackage

extension Library {
  /// Makes an empty library with default settings in a new or empty folder, with mode 0700. An interruption leaves no
  /// `library.sqlite`, and the call can be repeated.
  ///
  /// - Throws: `LibraryError.alreadyALibrary`, `.insideAnother`, `.folderNotEmpty`, `.networkFileSystem`, `.database`,
  ///   `.otherOwner`, `OwnershipError` or `FileError`.
  public static func create(at path: FilePath, now: Date = Date()) throws {
    if let other = enclosing((path.realPath ?? path).folder) { throw LibraryError.insideAnother(path, other) }
    try makeFolder(path)
    try create(in: openOwnFolder(path), now: now)
  }

  private static func create(in folder: OpenFolder, now: Date) throws {
    let path = folder.directory.path
    if let name = try folder.directory.fileSystem().networkProtocol {
      throw LibraryError.networkFileSystem(path, protocol: name)
    }
    try requireEmpty(folder.directory, but: unfinishedFiles + ["photos", "library.lock"])
    let lock = try FileLock("library.lock", in: folder.directory, waiting: .seconds(10))
    // the process that had the lock until now may have made a library
    if try folder.directory.status(of: databaseName) != nil { throw LibraryError.alreadyALibrary(path) }
    for file in unfinishedFiles { try folder.directory.remove(file) }

    try folder.directory.makeDirectory("photos")
    try writeUnfinishedDatabase(in: folder) { database in
      try Settings(createdAt: Timestamp(now)).insert(database)
    }
    try folder.directory.rename(unfinishedDatabase, to: folder.directory, as: databaseName)
    do {
      try folder.directory.sync()
    } catch {
      // not durable, and still empty
      _ = try? folder.directory.remove(databaseName)
      throw error
    }
    lock.release()
  }

  /// The name of a database that is being made.
  static let unfinishedDatabase: FilePath = "library.sqlite.new"

  /// The files of a database that is being made.
  static let unfinishedFiles = ["", "-wal", "-shm", "-journal"].map {
    FilePath(unfinishedDatabase.string + $0)
  }

  /// Makes a database under the name `unfinishedDatabase`, which must be free. Durable when it
  /// returns. What an interruption leaves is no library, so SQLite keeps no log of the file, which is flushed once.
  ///
  /// - Parameter fill: inserts the settings and all other rows, in one transaction.
  /// - Throws: `LibraryError.database`, `FileError`, or what `fill` throws.
  static func writeUnfinishedDatabase(in folder: OpenFolder, _ fill: (Database) throws -> Void) throws {
    do {
      // SQLite would use the umask, and gives its other files the mode of this one
      do { _ = try folder.directory.open(unfinishedDatabase, .create) }
      var configuration = Configuration()
      configuration.prepareDatabase { database in
        try database.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
      }
      let pinned = try PinnedDatabase(unfinishedDatabase, in: folder, configuration)
      try pinned.queue.write { database in
        try Schema.create(in: database)
        try fill(database)
      }
      // the mode in which the library is used, which the file states
      try pinned.queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      try pinned.close()
    } catch let error as DatabaseError {
      throw databaseError(error, at: folder.directory.path)
    }
    for file in unfinishedFiles.dropFirst() { try folder.directory.remove(file) }
    try folder.directory.open(unfinishedDatabase, .read).sync()
    try folder.directory.sync()
  }

  /// Throws if the folder has files that an interrupted `create` does not leave.
  private static func requireEmpty(_ root: borrowing Directory, but ours: [FilePath]) throws {
    try requireNoRemains(root)
    if try root.status(of: databaseName) != nil { throw LibraryError.alreadyALibrary(root.path) }
    guard try root.names().allSatisfy(ours.contains) else { throw LibraryError.folderNotEmpty(root.path) }
    if let photos = try root.status(of: "photos") {
      guard photos.kind == .directory, try root.directory("photos").names().isEmpty else {
        throw LibraryError.folderNotEmpty(root.path)
      }
    }
  }

  private static func makeFolder(_ path: FilePath) throws {
    guard let name = path.fileName else { return }
    let folder = try Directory.open(path.folder)
    try Ownership.require(folder, isParent: true)
    if try folder.makeDirectory(name) { try folder.sync() }
  }
}
