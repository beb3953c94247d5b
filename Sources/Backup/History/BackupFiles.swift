import FileSystem
import SystemPackage

/// The files in a folder that may be backups, told from those of others.
enum BackupFiles {
  /// Those whose content may be an archive's or a document's; folders in the folder are not entered, and hidden files
  /// and links are passed over. What cannot be opened is among them, so that whoever reads it says so.
  ///
  /// - Parameters:
  ///   - isKnown: spares looking into a file that is known to be a backup.
  ///   - whileReading: called before each file; may throw to give up.
  /// - Throws: `FileError` if the folder cannot be read, or what `whileReading` throws.
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

  /// By its first bytes an archive; a JSON document by its name too, since every program writes those.
  private static func mayBeBackup(_ name: FilePath, in directory: borrowing Directory) throws -> Bool {
    do throws(FileError) {
      let file = try directory.open(name, .read)
      let start = try file.read(4, at: 0)
      if start.starts(with: [0x50, 0x4B]) || hasOurName(name) { return true }
      return start.first == UInt8(ascii: "{") && ["json", "smilepile"].contains(name.extension?.lowercased())
    } catch {
      // unreadable for this user, or gone meanwhile
      if error.isAbsence { return false }
      return hasOurName(name)
    }
  }

  /// As this project and both apps call their backups.
  private static func hasOurName(_ name: FilePath) -> Bool {
    let text = name.string.lowercased()
    return (text.hasPrefix("smilepile_backup_") || text.hasPrefix("smilepilebackup_"))
      && ["zip", "json", "smilepile"].contains(name.extension?.lowercased())
  }

  /// Whether a file that cannot be read as a backup is somebody else's, and none that is damaged or locked.
  static func isStranger(_ path: FilePath, _ error: any Error) -> Bool {
    if path.lastComponent.map({ hasOurName(FilePath($0.string)) }) ?? false { return false }
    switch error {
    case BackupError.notABackup, BackupError.noMetadata, BackupError.photoExport: return true
    case BackupError.metadata(_, let fault):
      // of JSON files, most are others', a job's status file among them; one of a newer version is a backup
      return fault.newerVersion == nil && path.extension?.lowercased() == "json"
    default: return false
    }
  }
}
