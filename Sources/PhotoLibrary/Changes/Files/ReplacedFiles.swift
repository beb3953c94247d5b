import FileSystem
internal import GRDB
import SystemPackage

/// The files of photos that a change replaced or removed, as the rows of `replacedPhoto` tell.
///
/// They move from `photos` to `.undo/CHANGE/PHOTO`, from where `undo` moves them back. When a change makes that undo
/// impossible, or when the undo has been done, they are deleted. Moving away and deleting need the exclusive
/// lock on `readers.lock`, since an export may be reading the files; while another process reads, they are left to the
/// next writer. Another program may have put a file in such a place, so only files that are as they were imported move.
/// Any other file stays, as an untracked file.
struct ReplacedFiles {
  static let parent: FilePath = ".undo"

  let writer: LibraryWriter
  var library: Library { writer.library }

  init(_ writer: LibraryWriter) { self.writer = writer }

  /// Returns the path at which an undo finds the file of a photo, relative to the library.
  static func path(ofPhoto id: Int64, change: String) -> FilePath {
    parent.appending(change).appending(String(id))
  }

  /// Why the files stay while another process has the lock of the readers.
  static let reasonOfReaders =
    "another process reads photos; the next command that changes the library deletes the files"

  /// Moves the files of the changes that are kept to `.undo`, and deletes those of all others.
  ///
  /// - Parameter always: true to remove the folders in `.undo` of no change, too, if no change has files.
  /// - Returns: false if another process reads photos. Then nothing has changed.
  @discardableResult
  func settle(always: Bool = false) throws -> Bool {
    let changes = try library.read(Self.changes)
    guard always || !changes.isEmpty else { return true }
    guard let lock = try lockReaders() else { return false }
    let kept = try library.read(UndoStack.init).kept
    // newest first: if two changes have rows of one photo, only the newer one may have removed its file
    for change in kept { try moveAway(change) }
    for change in Set(changes).subtracting(kept).sorted() { try delete(change) }
    try removeObsoleteFolders(except: changes)
    lock.release()
    return true
  }

  /// Returns the IDs of the changes with files, oldest first. Every undoable change has a row in
  /// `replacedSettings`.
  static func changes(_ database: Database) throws -> [String] {
    try database.rows("SELECT changeId FROM replacedSettings ORDER BY rowid", of: "replacedSettings") {
      try $0.text("changeId", at: 0)
    }
  }

  /// Removes what obsolete undos left: empty folders, or files that a power failure brought back.
  private func removeObsoleteFolders(except changes: [String]) throws {
    guard try library.root.status(of: Self.parent)?.kind == .directory else { return }
    for name in try library.root.directory(Self.parent).names()
    where StagingFolder.isOperationID(name.string) && !changes.contains(name.string) {
      try removeFolder(name.inFolder(Self.parent))
    }
  }

  /// Removes the folder of a change in `.undo`. Before, moves files of it back to the places of photos that lack their
  /// files: the database may be an older copy, with photos that a later change removed.
  private func removeFolder(_ folder: FilePath) throws {
    let ids = try library.root.directory(folder).names().compactMap { Int64($0.string) }
    let photos = try library.read { database in
      try ids.compactMap { id in
        try Photo.fetchOne(
          database, sql: "SELECT \(Photo.columns) FROM photo WHERE id = ? AND NOT isFromAssets",
          arguments: [id])
      }
    }
    for photo in photos where try library.root.status(of: FilePath(photo.path)) == nil {
      var file = photo
      file.path = folder.appending(String(photo.id)).string
      // if the file cannot be read, this throws, and the folder stays
      guard try library.isUnchanged(file) else { continue }
      try library.move(FilePath(file.path), to: FilePath(photo.path))
    }
    try library.root.removeFolder(folder, of: StagingFolder.isNumber)
  }

  /// Returns nil if another process reads photos.
  private func lockReaders() throws -> FileLock? {
    do {
      return try FileLock("readers.lock", in: library.root, exclusive: true)
    } catch is FileLock.Busy {
      return nil
    }
  }

  /// Returns true if the file of a photo is in the undo's folder. An empty file there reserves its name, where the file
  /// system cannot rename without replacing.
  private func isMovedAway(_ photo: Photo, to folder: borrowing Directory) throws(FileError) -> Bool {
    guard let status = try folder.status(of: FilePath(String(photo.id))) else { return false }
    return status.size > 0 || photo.fileSize == 0
  }

  /// Returns the photos that a change replaced or removed, and whose files no photo has now.
  private func photos(of change: String) throws -> [Photo] {
    try library.read { database in
      try Photo.fetchAll(
        database,
        sql: """
          SELECT \(Photo.columns) FROM replacedPhoto
          WHERE changeId = ? AND NOT isFromAssets
            AND path NOT IN (SELECT path FROM photo WHERE NOT isFromAssets)
          """, arguments: [change], of: "replacedPhoto")
    }
  }

  /// Returns true if the undo of another change needs a file: two successive changes may both have removed it.
  private func isNeeded(_ path: String, byChangeOtherThan change: String) throws -> Bool {
    try library.read { database in
      try Bool.fetchOne(
        database,
        sql: "SELECT EXISTS (SELECT * FROM replacedPhoto WHERE path = ? AND changeId <> ?)",
        arguments: [path, change]) ?? false
    }
  }

  private func moveAway(_ change: String) throws {
    guard StagingFolder.isOperationID(change) else { return }
    // a changed file is another program's
    let photos = try photos(of: change).filter { try library.isUnchanged($0) }
    guard !photos.isEmpty else { return }
    let folder = Self.parent.appending(change)
    try library.root.makeDirectories(folder)
    let target = try library.root.directory(folder)
    // if the file has been moved away already, the file in its place is another program's
    for photo in photos where try !isMovedAway(photo, to: target) {
      let name = FilePath(String(photo.id))
      try target.remove(name)
      try library.root.rename(FilePath(photo.path), to: target, as: name)
    }
    try target.sync()
    for photo in photos { try library.root.removeEmptyFolders(above: FilePath(photo.path)) }
  }

  /// Deletes the files, makes that durable, and then deletes the rows, which alone tell where the files are.
  private func delete(_ change: String) throws {
    let folder = Self.parent.appending(change)
    // the ID of a damaged row may name another folder
    let hasFolder = try StagingFolder.isOperationID(change) && library.root.status(of: folder) != nil
    var folders: Set<FilePath> = []
    for photo in try photos(of: change) where try !isNeeded(photo.path, byChangeOtherThan: change) {
      // if the file has been moved away, the file in its place is another program's
      let isAway = try hasFolder && isMovedAway(photo, to: library.root.directory(folder))
      let path = FilePath(photo.path)
      guard !isAway, try library.isUnchanged(photo), try library.root.remove(path) else { continue }
      folders.insert(path.removingLastComponent())
    }
    for folder in folders { try library.root.directory(folder).sync() }
    if hasFolder {
      try removeFolder(folder)
      try library.root.directory(Self.parent).sync()
    }
    try writer.transaction { database in
      for table in ["replacedPhoto", "replacedCategory", "replacedSettings", "replacedIdentity", "added"] {
        try database.execute(sql: "DELETE FROM \(table) WHERE changeId = ?", arguments: [change])
      }
    }
    for folder in folders { try library.root.removeEmptyFolders(above: folder.appending("x")) }
  }
}
