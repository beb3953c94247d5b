import Checksums
internal import Databases
internal import FileSystem
internal import GRDB
package import PhotoLibrary
internal import SystemPackage

extension PictureCache {
  /// What a cache contains.
  package struct Status: Sendable, Equatable {
    /// The number of pictures.
    package var pictures = 0
    /// The number of photos that cannot be drawn.
    package var faults = 0
    /// The bytes of the database.
    package var bytes = 0
    /// The number of different photos of the library without a picture, except those that cannot be drawn.
    package var missing = 0
    /// True if the cache cannot be read; it is then created again.
    package var isCorrupt = false
  }

  /// Reads the cache of a library, without changing it. Blocks.
  package static func status(of library: Library) throws -> Status {
    let contents = Set(try library.contents().photos.compactMap(\.content))
    var status = Status(missing: contents.count)
    do {
      guard let (folder, bytes) = try existingDatabase(of: library) else { return status }
      status.bytes = bytes
      for (content, state) in try states(in: folder) {
        if state == .drawn { status.pictures += 1 } else { status.faults += 1 }
        if contents.contains(content) { status.missing -= 1 }
      }
    } catch let error where isCorruption(error) {
      status.isCorrupt = true
    }
    return status
  }

  /// Reads what the cache of a library knows about all contents, without changing it: nothing if the cache is missing
  /// or corrupt. Blocks.
  static func states(of library: Library) throws -> [FileContent: State] {
    do {
      guard let (folder, _) = try existingDatabase(of: library) else { return [:] }
      return try states(in: folder)
    } catch let error where isCorruption(error) {
      return [:]
    }
  }

  private static func states(in folder: OpenFolder) throws -> [FileContent: State] {
    let pinned = try openForReading(in: folder)
    // the connection is closed with the last reference to its owner
    defer { withExtendedLifetime(pinned) {} }
    return try pinned.queue.read { database in
      try PictureCacheSchema.known.check(database) > 0 ? try states(in: database) : [:]
    }
  }

  /// Returns the folder of the cache and the bytes of its database; nil if the library has none.
  private static func existingDatabase(of library: Library) throws -> (folder: OpenFolder, bytes: Int)? {
    let root = library.folder
    guard try root.directory.status(of: Library.pictureCache)?.kind == .directory else { return nil }
    let folder = OpenFolder(try root.directory.directory(Library.pictureCache))
    guard let file = try folder.directory.status(of: name), file.kind == .file else { return nil }
    try requireOwnership(folder.directory, in: library)
    return (folder, file.size)
  }

  /// Removes the cache of a library, but no untracked file in its folder. Blocks.
  ///
  /// - Throws: `FileLock.Busy` if another process uses the cache; `FileError`; `OwnershipError`.
  package static func clear(_ library: Library) throws {
    let root = library.folder
    guard try root.directory.status(of: Library.pictureCache) != nil else { return }
    let folder = try root.directory.directory(Library.pictureCache)
    let lock = try FileLock("pictures.lock", in: folder, exclusive: true)
    try removeDatabase(in: folder)
    lock.release()
  }
}
