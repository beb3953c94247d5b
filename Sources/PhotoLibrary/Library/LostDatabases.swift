import FileSystem
import SystemPackage

/// The databases that rebuilds have replaced: `.lost/DATE`.
enum LostDatabases {
  /// The folder that has the files of lost databases. Only a person deletes them.
  static let parent: FilePath = ".lost"

  /// Returns true if a rebuild was interrupted after it had linked the database in `.lost`. The database is then perhaps
  /// without its log.
  static func isRebuildInterrupted(in root: borrowing Directory) throws -> Bool {
    guard let status = try root.status(of: Library.databaseName) else { return false }
    return try !folders(with: Library.databaseName, status, in: root).isEmpty
  }

  /// Returns the folders in `.lost` in which a file of the database has another name.
  static func folders(
    with name: FilePath, _ status: FileStatus, in root: borrowing Directory
  ) throws(FileError) -> [FilePath] {
    guard status.kind == .file, status.linkCount > 1, Library.databaseFiles.contains(name),
      try root.status(of: parent)?.kind == .directory
    else { return [] }
    let lost = try root.directory(parent)
    var folders: [FilePath] = []
    for folder in try lost.names() where try lost.status(of: folder)?.kind == .directory {
      guard try lost.directory(folder).status(of: name)?.identity == status.identity else { continue }
      folders.append(parent.appending(folder.components))
    }
    return folders
  }
}
