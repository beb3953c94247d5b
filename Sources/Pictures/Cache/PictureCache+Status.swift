internal import Databases
internal import FileSystem
internal import GRDB
package import ImageHeader
internal import Operations
package import PhotoLibrary
internal import SystemPackage

extension PictureCache {
  /// What a cache contains.
  package struct Status: Sendable, Equatable {
    /// The number of thumbnails.
    package var pictures = 0
    /// The number of pictures for clicks in galleries of archives.
    package var views = 0
    /// The number of photos that cannot be drawn.
    package var faults = 0
    /// The bytes of the databases.
    package var bytes = 0
    /// The number of different photos of the library without a picture, except those that cannot be drawn.
    package var missing = 0
    /// True if the cache cannot be read; it is then created again.
    package var isCorrupt = false

    /// The number of thumbnails and large pictures.
    package var drawn: Int { pictures + views }
    /// The most bytes of all databases.
    package static var limit: Int { mostBytes * CachedPicture.allCases.count }
  }

  /// Reads the cache of a library, without changing it. Blocks.
  package static func status(of library: Library) throws -> Status {
    let contents = Set(try library.contents().photos.compactMap(\.content))
    var status = Status(missing: contents.count)
    guard let folder = try existingFolder(of: library) else { return status }
    for kind in CachedPicture.allCases {
      guard let bytes = try bytes(of: kind, in: folder) else { continue }
      status.bytes = status.bytes.saturated(plus: bytes)
      do {
        let outlines = try entries(of: kind, in: folder, outlines(in:))
        let drawn = outlines.values.count { $0.state == .drawn }
        let known = outlines.filter { $0.value.state != .fingerprinted }
        switch kind {
        case .view: status.views = drawn
        case .thumbnail:
          (status.pictures, status.faults) = (drawn, known.count - drawn)
          status.missing = contents.subtracting(known.keys).count
        }
      } catch let error where isCorruption(error) {
        status.isCorrupt = true
      }
    }
    return status
  }

  /// Reads what the cache of a library knows about all contents, without changing it: nothing if the cache is missing
  /// or corrupt, and nothing of rows that are corrupt. Reads all pictures. Blocks.
  ///
  /// - Parameter counter: counts the rows in a phase of their own, the first tenth of its share.
  /// - Throws: `CancellationError`; `FileError`; `LibraryError`; `OwnershipError`.
  static func verifiedStates(
    of kind: CachedPicture, in library: Library, _ counter: ProgressCounter
  ) throws -> [FileContent: State] {
    try readable(kind, in: library) { try verifiedStates(in: $0, counter) }
  }

  /// What a row of a cache tells without its thumbnail.
  package struct Outline: Sendable {
    /// What the cache has.
    package let state: State
    /// The size of the picture; nil if the cache has none.
    package let size: PictureSize?
    /// The format of the photo; nil if the cache has no picture, or if `ImageHeader` does not know the format.
    package let format: ImageHeader.Format?
  }

  /// Returns what the cache knows about all contents, without reading the thumbnails. Leaves out corrupt rows.
  static func outlines(in database: Database) throws -> [(FileContent, Outline)] {
    try rows(PictureRow.columns, in: database) { row, _ in
      (row.content, Outline(state: row.state, size: row.size, format: row.format))
    }
  }

  /// Reads what the cache of a library knows about all contents, without changing the cache: nothing if it is missing
  /// or corrupt. Reads no thumbnail. Blocks.
  ///
  /// - Throws: `FileError`; `LibraryError`; `OwnershipError`.
  package static func outlines(of kind: CachedPicture, in library: Library) throws -> [FileContent: Outline] {
    try readable(kind, in: library) { try outlines(in: $0) }
  }

  private static func readable<Value>(
    _ kind: CachedPicture, in library: Library, _ read: (Database) throws -> [(FileContent, Value)]
  ) throws -> [FileContent: Value] {
    guard let folder = try existingFolder(of: library), try bytes(of: kind, in: folder) != nil else {
      return [:]
    }
    do {
      return try entries(of: kind, in: folder, read)
    } catch is DatabaseError {
      // `PictureCache.notes` has the reason as soon as the cache is opened
      return [:]
    }
  }

  private static func entries<Value>(
    of kind: CachedPicture, in folder: OpenFolder, _ read: (Database) throws -> [(FileContent, Value)]
  ) throws -> [FileContent: Value] {
    guard let pinned = try openForReading(kind.database, in: folder) else { return [:] }
    // the connection is closed with the last reference to its owner
    defer { withExtendedLifetime(pinned) {} }
    return Dictionary(try pinned.queue.read(read), uniquingKeysWith: { first, _ in first })
  }

  private static func existingFolder(of library: Library) throws -> OpenFolder? {
    let root = library.folder
    guard try root.directory.status(of: Library.pictureCache)?.kind == .directory else { return nil }
    let folder = OpenFolder(try root.directory.directory(Library.pictureCache))
    try requireOwnership(folder.directory, in: library)
    return folder
  }

  /// Returns the size of a database; nil if it is missing.
  private static func bytes(of kind: CachedPicture, in folder: OpenFolder) throws -> Int? {
    guard let file = try folder.directory.status(of: kind.database), file.kind == .file else { return nil }
    return file.size
  }

  /// Removes the cache of a library, but no untracked file in its folder. Blocks.
  ///
  /// - Parameter lockWait: how long to wait for the processes that use the cache.
  /// - Returns: what the cache had.
  /// - Throws: `FileLock.Busy` if another process uses the cache; `FileError`; `OwnershipError`.
  @discardableResult
  package static func clear(_ library: Library, lockWait: Duration = .zero) throws -> Status {
    let root = library.folder
    guard try root.directory.status(of: Library.pictureCache) != nil else { return Status() }
    let folder = try root.directory.directory(Library.pictureCache)
    let lock = try FileLock("pictures.lock", in: folder, exclusive: true, waiting: lockWait)
    let before = try status(of: library)
    for kind in CachedPicture.allCases { try removeDatabase(kind.database, in: folder) }
    lock.release()
    return before
  }
}
