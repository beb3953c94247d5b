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
    var status = Status()
    let contents = Set(try library.contents().photos.compactMap(\.content))
    status.missing = contents.count
    guard try library.folder.directory.status(of: Library.pictureCache)?.kind == .directory else {
      return status
    }
    let folder = OpenFolder(try library.folder.directory.directory(Library.pictureCache))
    guard let file = try folder.directory.status(of: name), file.kind == .file else { return status }
    try requireOwnership(folder.directory, in: library)
    status.bytes = file.size
    do {
      let pinned = try openForReading(in: folder)
      // the connection is closed with the last reference to its owner
      defer { withExtendedLifetime(pinned) {} }
      try pinned.queue.read { database in
        guard try PictureCacheSchema.known.check(database) > 0 else { return }
        let rows = try database.rows(
          "SELECT id, md5, size, thumbnail IS NULL FROM picture WHERE version = ?", [version], of: "picture"
        ) { row in
          (try row.bytes("md5", at: 1), try row.count("size", at: 2), try row.flag("thumbnail", at: 3))
        }
        for (md5, size, isFault) in rows {
          if isFault { status.faults += 1 } else { status.pictures += 1 }
          if let md5 = MD5Digest(bytes: md5), contents.contains(FileContent(md5: md5, size: size)) {
            status.missing -= 1
          }
        }
      }
    } catch let error where isCorruption(error) {
      status = Status(bytes: file.size, missing: contents.count, isCorrupt: true)
    }
    return status
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
