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
  /// - Returns: nil if another version wrote the database, or if it is empty.
  static func openForReading(_ name: FilePath, in folder: OpenFolder) throws -> PinnedDatabase? {
    let fault = folder.directory.writeFault()
    var configuration = Configuration.waiting(readonly: fault != nil)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA query_only = ON") }
    let isReadOnly = fault == .readOnlyFileSystem
    let pinned = try PinnedDatabase(name, in: folder, configuration, isImmutable: isReadOnly)
    do {
      return try pinned.queue.read { database in
        if try DatabaseSchema.isEmpty(database) { return nil }
        try PictureCacheSchema.cache.check(database)
        return pinned
      }
    } catch is DatabaseSchema.OtherVersion {
      return nil
    }
  }

  /// Opens the database for writing. Creates it if it is missing, and again if another version wrote it.
  static func openDatabase(_ name: FilePath, in folder: OpenFolder) throws -> PinnedDatabase {
    do {
      return try openOwnDatabase(name, in: folder)
    } catch is DatabaseSchema.OtherVersion {
      try removeDatabase(name, in: folder.directory)
      return try openOwnDatabase(name, in: folder)
    }
  }

  private static func openOwnDatabase(_ name: FilePath, in folder: OpenFolder) throws -> PinnedDatabase {
    if try folder.directory.status(of: name) == nil { _ = try folder.directory.open(name, .readWrite) }
    var configuration = Configuration.waiting()
    // a cache that a power failure damages is created again
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    let pinned = try PinnedDatabase(name, in: folder, configuration)
    try PictureCacheSchema.cache.createIfEmpty(pinned.queue)
    try pinned.queue.read(PictureCacheSchema.cache.check)
    try PictureCacheSchema.cache.repairNumbers(of: pinned.queue)
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
    DatabaseError(ofQuery: error)?.mayBeDamage ?? false
  }
}
