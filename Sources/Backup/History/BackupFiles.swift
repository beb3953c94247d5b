import FileSystem
import SystemPackage
import Zip

/// The files in a folder that may be backups.
enum BackupFiles {
  /// Those whose content is an archive's or a document's, by name; folders in the folder are not entered, and hidden
  /// files are passed over. What cannot be opened is among them, so that whoever reads it says so.
  ///
  /// - Throws: `FileError` if the folder cannot be read.
  static func list(_ folder: FilePath) throws -> [FilePath] {
    let directory = try Directory.open(folder)
    return try directory.names().filter { name in
      guard !name.string.hasPrefix("."), let status = try directory.status(of: name) else { return false }
      guard status.kind == .file || status.kind == .symbolicLink, status.size > 0 else { return false }
      return mayBeBackup(folder.appending(name.string))
    }.map { folder.appending($0.string) }
  }

  private static func mayBeBackup(_ path: FilePath) -> Bool {
    guard let file = try? File.open(path, .readFollowingLinks) else { return true }
    guard let status = try? file.status(), status.kind == .file, let start = try? file.read(4, at: 0) else {
      return false
    }
    // the first record of an archive with entries, or of one without; an object
    return start.starts(with: [0x50, 0x4B]) || start.first == UInt8(ascii: "{")
      || start.starts(with: [0xEF, 0xBB, 0xBF])
  }
}
