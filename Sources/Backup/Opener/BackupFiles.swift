import FileSystem
import SystemPackage
import Zip

/// Finds the files in a folder that may be backups.
package enum BackupFiles {
  /// Returns the files whose content may be an archive's or a document's. Skips subfolders, hidden files and links.
  /// Includes files that cannot be opened, so that the caller reports them.
  ///
  /// - Parameters:
  ///   - isKnown: returns true for a file that is known to be a backup; such a file is not opened.
  ///   - whileReading: called before each file; may throw to cancel.
  /// - Throws: `FileError` if the folder cannot be read, environment failures, or the errors of `whileReading`.
  static func list(
    _ folder: FilePath, isKnown: (FilePath, FileStatus) -> Bool = { _, _ in false },
    whileReading: () throws -> Void = {}
  ) throws -> [(path: FilePath, status: FileStatus)] {
    let directory = try Directory.open(folder)
    var files: [(path: FilePath, status: FileStatus)] = []
    for name in try directory.names() where !name.string.hasPrefix(".") {
      try whileReading()
      guard let status = try directory.status(of: name), status.kind == .file else { continue }
      let path = directory.path(of: name)
      if try isKnown(path, status) || mayBeBackup(name, in: directory) { files.append((path, status)) }
    }
    return files
  }

  /// Returns true if the file begins or ends like an archive, since the other end may be corrupt. A JSON document must
  /// have a matching extension too, since every program writes JSON.
  package static func mayBeBackup(_ name: FilePath, in directory: borrowing Directory) throws -> Bool {
    do throws(FileError) {
      let file = try directory.open(name, .read)
      let start = try file.read(4, at: 0)
      if start.starts(with: [0x50, 0x4B]) || hasOurName(name) { return true }
      if try Archive.hasEnd(file) { return true }
      return start.first == UInt8(ascii: "{") && ["json", "smilepile"].contains(name.extension?.lowercased())
    } catch {
      // the file was removed meanwhile
      if error.isMissing { return false }
      if error.cause == .environment { throw error }
      return hasOurName(name) || ["zip", "smilepile"].contains(name.extension?.lowercased())
    }
  }

  /// Returns true for a name that this project or one of the apps gives its backups.
  private static func hasOurName(_ name: FilePath) -> Bool {
    let text = name.string.lowercased()
    return (text.hasPrefix("smilepile_backup_") || text.hasPrefix("smilepilebackup_"))
      && hasBackupExtension(name)
  }

  /// Returns true for a name with the extension of an archive or a document.
  package static func hasBackupExtension(_ name: FilePath) -> Bool {
    ["zip", "json", "smilepile"].contains(name.extension?.lowercased())
  }

  /// Returns true if a file has the extension of an archive or a document, and is neither that of this program nor that
  /// of another one. An upload that was truncated or zeroed leaves such a file.
  package static func isBroken(_ path: FilePath, _ size: Int, _ error: any Error) -> Bool {
    switch (path.extension?.lowercased(), error) {
    case ("zip", BackupError.notABackup), ("smilepile", BackupError.notABackup): true
    case ("json", BackupError.metadata(_, let fault)): fault.isMalformed
    case ("json", BackupError.notABackup): size == 0
    default: false
    }
  }

  /// Returns true if a file that cannot be read as a backup is a third-party file, and not a damaged or locked
  /// backup.
  package static func isThirdParty(_ path: FilePath, _ error: any Error) -> Bool {
    if hasOurName(FilePath(path.name)) { return false }
    switch error {
    case BackupError.notABackup, BackupError.tooLarge, BackupError.noMetadata, BackupError.photoExport:
      return true
    case BackupError.metadata(_, let fault):
      // most JSON files are third-party, for example a job's status file; a file of a newer version is a backup
      return fault.newerVersion == nil && path.extension?.lowercased() == "json"
    default: return false
    }
  }
}
