import FileSystem
import SystemPackage

/// The databases that rebuilds have replaced: `.lost/DATE`.
enum LostDatabases {
  /// The folder that has the files of lost databases. Only a person deletes them.
  static let parent: FilePath = ".lost"

  /// Returns the folder in which an interrupted rebuild has linked the database with its log; nil if no rebuild was
  /// interrupted. The database in the library's folder may then be without its log.
  static func unfinishedRebuild(in root: borrowing Directory) throws(FileError) -> FilePath? {
    guard let status = try root.status(of: Library.databaseName) else { return nil }
    return try folders(with: Library.databaseName, status, in: root).first
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
