import FileSystem
internal import GRDB
import SystemPackage

/// What became of the files of photos that a change replaced or removed: they are moved to
/// `.undo/<change>/<photo id>`, and deleted when the next such change makes that undo impossible. Those that an
/// undo took back are deleted at once.
///
/// Both wait for `readers.lock`, since an export may be reading the files. While somebody holds it they stay
/// where they are, and the next writer sees to them: the rows in `replacedPhoto` remember them. By then somebody may
/// have put another file in such a place, so that a later writer touches only what has the photo's bytes.
extension LibraryWriter {
  static let undoFolder: FilePath = ".undo"

  /// - Parameter changeId: the change that has just been made, which found its photos' files where they are.
  func settleReplacedPhotos(after changeId: String? = nil) throws {
    let changes = try library.read { database in
      try String.fetchAll(
        database, sql: "SELECT DISTINCT changeId FROM replacedSettings ORDER BY changeId")
    }
    guard !changes.isEmpty, let lock = try readersAreGone() else { return }
    let newest = try library.read { database in
      let kinds = Change.Kind.allCases.filter(\.isUndoable).map { "'\($0.rawValue)'" }.joined(separator: ", ")
      return try String.fetchOne(
        database, sql: "SELECT id FROM change WHERE kind IN (\(kinds)) ORDER BY rowid DESC LIMIT 1")
    }
    for change in changes {
      if change == newest {
        try moveReplacedFiles(of: change, areKnown: change == changeId)
      } else {
        try deleteReplacedFiles(of: change)
      }
    }
    try removeOtherUndoFolders(but: changes)
    lock.release()
  }

  /// What is left of undos that are no more: empty folders, or what a power cut brought back.
  private func removeOtherUndoFolders(but changes: [String]) throws {
    guard try library.root.status(of: Self.undoFolder)?.kind == .directory else { return }
    for name in try library.root.directory(Self.undoFolder).names()
    where Staging.isChange(name) && !changes.contains(name.string) {
      try library.root.removeFolder(Self.undoFolder.appending(name.components), of: Staging.isOwn)
    }
  }

  private func readersAreGone() throws -> FileLock? {
    do {
      return try FileLock("readers.lock", in: library.root, exclusive: true)
    } catch is FileLock.Busy {
      return nil
    }
  }

  /// A file that a change replaced.
  private struct ReplacedFile {
    private let photo: Photo
    let path: FilePath
    /// Its name in the undo's folder.
    var name: FilePath { FilePath(String(photo.id)) }

    init(_ photo: Photo) {
      self.photo = photo
      path = FilePath(photo.path)
    }

    /// Whether what lies in its place is the file, and none that somebody put there since.
    func isUntouched(in library: Library) throws -> Bool { try library.isUntouched(photo) }

    /// Whether it is in the undo's folder. An empty file there is the name that was reserved for it, where the file
    /// system has no better way.
    func isPutAway(in folder: borrowing Directory) throws(FileError) -> Bool {
      guard let status = try folder.status(of: name) else { return false }
      return status.size > 0 || photo.fileSize == 0
    }
  }

  /// The files that a change replaced and that no photo uses any more.
  private func replacedFiles(of change: String) throws -> [ReplacedFile] {
    try library.read { database in
      try Photo.fetchAll(
        database,
        sql: """
          SELECT \(Photo.columns(database)) FROM replacedPhoto
          WHERE changeId = ? AND NOT isFromAssets
            AND path NOT IN (SELECT path FROM photo WHERE NOT isFromAssets)
          """, arguments: [change]
      ).map { ReplacedFile($0) }
    }
  }

  /// Whether another change's undo needs a file: two changes in a row may both have let go of it.
  private func isReplaced(_ path: FilePath, byOtherThan change: String) throws -> Bool {
    try library.read { database in
      try Bool.fetchOne(
        database,
        sql: "SELECT EXISTS (SELECT * FROM replacedPhoto WHERE path = ? AND changeId <> ?)",
        arguments: [path.string, change]) ?? false
    }
  }

  private func moveReplacedFiles(of change: String, areKnown: Bool) throws {
    let files = try replacedFiles(of: change).filter { file in
      try library.root.status(of: file.path) != nil && (areKnown || file.isUntouched(in: library))
    }
    guard !files.isEmpty else { return }
    let folder = Self.undoFolder.appending(change)
    try library.root.makeDirectories(folder)
    let target = try library.root.directory(folder)
    // where one has been put away already, a stranger has taken its place since
    for file in files where try !file.isPutAway(in: target) {
      guard let name = file.path.lastComponent else { continue }
      try target.remove(file.name)
      try library.root.directory(file.path.removingLastComponent())
        .rename(FilePath(name.string), to: target, as: file.name)
    }
    try target.sync()
    for file in files { try library.root.removeEmptyFolders(above: file.path) }
  }

  /// Deletes the files, makes that durable, and forgets the rows, which nothing would find the files by later.
  private func deleteReplacedFiles(of change: String) throws {
    let folder = Self.undoFolder.appending(change)
    let hasFolder = try library.root.status(of: folder) != nil
    var folders: Set<FilePath> = []
    for file in try replacedFiles(of: change) where try !isReplaced(file.path, byOtherThan: change) {
      // where one has been put away, a stranger has taken its place since
      let isPutAway = try hasFolder && file.isPutAway(in: library.root.directory(folder))
      guard !isPutAway, try file.isUntouched(in: library), try library.root.remove(file.path) else {
        continue
      }
      folders.insert(file.path.removingLastComponent())
    }
    for folder in folders { try library.root.directory(folder).sync() }
    try library.root.removeFolder(folder, of: Staging.isOwn)
    if hasFolder { try library.root.directory(Self.undoFolder).sync() }
    try write { database in
      try database.inTransaction(.immediate) {
        for table in ["replacedPhoto", "replacedCategory", "replacedSettings", "added"] {
          try database.execute(sql: "DELETE FROM \(table) WHERE changeId = ?", arguments: [change])
        }
        return .commit
      }
    }
    for folder in folders { try library.root.removeEmptyFolders(above: folder.appending("x")) }
  }
}
