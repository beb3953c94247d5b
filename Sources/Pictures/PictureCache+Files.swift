internal import Databases
internal import FileSystem
internal import GRDB
internal import PhotoLibrary
internal import SystemPackage

/// The files of a cache.
extension PictureCache {
  /// Opens the database, and checks its schema. Changes it only by completing a rollback: a killed process may have left
  /// a journal.
  ///
  /// - Returns: nil if an earlier version wrote the database, or if it is empty.
  static func openForReading(_ name: FilePath, in folder: OpenFolder) throws -> PinnedDatabase? {
    var configuration = Configuration()
    let fault = folder.directory.writeFault()
    configuration.readonly = fault != nil
    configuration.busyMode = .timeout(10)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA query_only = ON") }
    let isReadOnly = fault == .readOnlyFileSystem
    let pinned = try PinnedDatabase(name, in: folder, configuration, isImmutable: isReadOnly)
    let migrations = try pinned.queue.read { try PictureCacheSchema.known.check($0) }
    return migrations == PictureCacheSchema.digests.count ? pinned : nil
  }

  static func openDatabase(_ name: FilePath, in folder: OpenFolder) throws -> PinnedDatabase {
    if try folder.directory.status(of: name) == nil { _ = try folder.directory.open(name, .readWrite) }
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    // a cache that a power failure damages is created again
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    let pinned = try PinnedDatabase(name, in: folder, configuration)
    try pinned.queue.read { database in
      guard try !PictureCacheSchema.known.isSuperseded(in: database) else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a newer version wrote it")
      }
      try PictureCacheSchema.known.check(database)
    }
    try PictureCacheSchema.migrator.migrate(pinned.queue)
    return pinned
  }

  static func removeDatabase(_ name: FilePath, in folder: borrowing Directory) throws {
    for suffix in ["", "-journal"] { try folder.remove(FilePath(name.string + suffix)) }
  }

  /// Makes the folder, with a tag that tells programs for backups to leave it out. https://bford.info/cachedir/
  static func makeFolder(in library: Library) throws -> OpenFolder {
    let root = library.folder
    if try root.directory.status(of: Library.pictureCache) == nil {
      try root.directory.makeDirectory(Library.pictureCache)
    }
    let folder = OpenFolder(try root.directory.directory(Library.pictureCache))
    try requireOwnership(folder.directory, in: library)
    let tag = Library.pictureCacheFiles[0]
    if try folder.directory.status(of: tag) == nil {
      let text = """
        Signature: 8a477f597d28d172789f06886806bc55
        # smilepile keeps pictures of photos here, and draws them again if they are missing.

        """
      try folder.directory.open(tag, .create).write(Array(text.utf8), at: 0)
    }
    return folder
  }

  static func requireOwnership(_ folder: borrowing Directory, in library: Library) throws {
    guard !Ownership.isTrusted(library.path) else { return }
    for name in Library.pictureCacheFiles {
      guard let status = try folder.status(of: name), status.kind != .symbolicLink else { continue }
      try Ownership.require(status, inOwnFolderAt: folder.path(of: name))
    }
  }

  static func isCorruption(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError ?? DatabaseError(decoding: error) else { return false }
    let codes: [ResultCode] = [
      .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_FORMAT,
    ]
    return codes.contains(error.resultCode.primaryResultCode)
  }

  static func reason(_ error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "\(error)" }
    return error.message ?? error.description
  }
}
