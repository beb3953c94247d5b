import FileSystem
import SystemPackage

/// The files in a folder that may be backups, as the catalog sees them.
enum BackupFiles {
  /// Those whose content may be an archive's or a document's, by name; folders in the folder are not entered, and
  /// hidden files and links are passed over. What cannot be opened is among them, so that whoever reads it says so.
  ///
  /// - Throws: `FileError` if the folder cannot be read.
  static func list(_ folder: FilePath) throws -> [FilePath] {
    let directory = try Directory.open(folder)
    return try directory.names().filter { name in
      guard !name.string.hasPrefix("."), try directory.status(of: name)?.kind == .file else { return false }
      return try Catalog.mayBeBackup(name, in: directory)
    }.map { directory.path(of: $0) }
  }
}
