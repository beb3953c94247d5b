import Checksums
internal import Databases
import FileSystem
internal import GRDB
import SystemPackage

/// The files and folders in a library that this program did not make. No operation changes or removes them.
struct UntrackedFiles {
  private let library: Library
  /// Paths as bytes: two normal forms of a name are equal strings, and two files.
  private let known: Set<FilePath>
  /// The untracked files and folders, relative to the library.
  private(set) var paths: [FilePath] = []

  init(in library: Library) throws {
    self.library = library
    let (stored, replaced, moves) = try library.read { database in
      (
        try database.rows("SELECT id, path FROM photo WHERE NOT isFromAssets", of: "photo") { row in
          try row.text("path", at: 1)
        },
        try Self.replaced(database),
        try FileMove.pending(in: database)
      )
    }
    // a file that cannot be read may be the photo's
    let replacedPaths = replaced.filter { (try? library.isUnchanged($0)) ?? true }.map(\.path)
    let pending = moves.filter { $0.kind == .add }.map(\.target)
    known = Set((stored + replacedPaths + pending).map { FilePath($0) })
    let own = Set(
      Library.databaseFiles + [
        "library.lock", "readers.lock", StagingFolder.parent, ReplacedFiles.parent,
        Quarantine.parent, LostLibrary.lostFiles, Library.pictureCache, "photos",
      ])
    paths = try library.root.names().filter { !own.contains($0) }
    try collectPhotos("photos")
    try collectOperations(in: StagingFolder.parent)
    try collectOperations(in: ReplacedFiles.parent)
    try collectCache()
  }

  /// Returns the photos with files that changes replaced or removed.
  private static func replaced(_ database: Database) throws -> [Photo] {
    // Not DISTINCT: in a forged table SQLite would read any number of equal rows before it returns one that the limit
    // counts.
    let changes = try database.rows("SELECT changeId FROM replacedPhoto", of: "replacedPhoto") { row in
      try row.text("changeId", at: 0)
    }
    return try Set(changes).flatMap { change in
      try Photo.fetchAll(
        database,
        sql: "SELECT \(Photo.columns) FROM replacedPhoto WHERE changeId = ? AND NOT isFromAssets",
        arguments: [change], of: "replacedPhoto")
    }
  }

  private mutating func collectPhotos(_ folder: FilePath) throws {
    guard try library.root.status(of: folder)?.kind == .directory else { return }
    let directory = try library.root.directory(folder)
    for name in try directory.names() {
      let path = name.inFolder(folder)
      if try directory.status(of: name)?.kind == .directory {
        try collectPhotos(path)
      } else if !known.contains(path) {
        paths.append(path)
      }
    }
  }

  /// Collects the files in the folder of the cache that are not those of the cache.
  private mutating func collectCache() throws {
    guard let kind = try library.root.status(of: Library.pictureCache)?.kind else { return }
    guard kind == .directory else { return paths.append(Library.pictureCache) }
    paths += try library.root.directory(Library.pictureCache).names().filter {
      !Library.pictureCacheFiles.contains($0)
    }.map { $0.inFolder(Library.pictureCache) }
  }

  /// Collects the files in `.staging` or `.undo` that are not those of an operation.
  private mutating func collectOperations(in folder: FilePath) throws {
    guard try library.root.status(of: folder)?.kind == .directory else { return }
    for name in try library.root.directory(folder).names() {
      let path = name.inFolder(folder)
      guard StagingFolder.isOperationID(name.string), try library.root.status(of: path)?.kind == .directory
      else {
        paths.append(path)
        continue
      }
      let inner = try library.root.directory(path)
      for name in try inner.names() {
        let isFolder = try inner.status(of: name)?.kind == .directory
        if isFolder, folder == StagingFolder.parent, StagingFolder.isNumber(name) {
          paths += try inner.directory(name).names().filter { !StagingFolder.isStagedFile($0) }
            .map { name.inFolder(path).appending($0.components) }
        } else if isFolder || !StagingFolder.isNumber(name) {
          paths.append(name.inFolder(path))
        }
      }
    }
  }
}

extension Library {
  /// Returns the files and folders in the library that this program did not make, relative to the library. Blocks.
  public func untrackedFiles() throws -> [FilePath] { try UntrackedFiles(in: self).paths }
}
