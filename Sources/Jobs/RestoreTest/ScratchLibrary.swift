import FileSystem
import Foundation
import Glibc
import PhotoLibrary
import SystemPackage

/// A temporary library for a restore test, in a locked folder. `deinit` removes the folder. The next test of the job
/// removes the folders of killed tests, which are no longer locked.
final class ScratchLibrary {
  /// The path of the library.
  let path: FilePath
  private let folder: FilePath
  private let lock: FolderLock

  /// Creates an empty library in a new folder. Blocks.
  init(in parent: FilePath, of job: String) throws {
    let prefix = parent.appending("smilepile-drill-\(geteuid())-\(job).").string
    Self.sweep(prefix, in: parent)
    var template = Array((prefix + "XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw FileError("create a folder in", parent, Errno(rawValue: errno))
    }
    folder = FilePath(platformString: template)
    lock = try FolderLock(folder, exclusive: true)
    path = folder.appending("Library")
    // from here on, deinit removes the folder if a step fails
    try Library.create(at: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder.string) }

  /// Removes the folders that killed tests of the job left behind. Skips those of tests that are running with another
  /// state folder, and folders of other users, who may create folders of any name in /var/tmp.
  private static func sweep(_ prefix: String, in parent: FilePath) {
    guard let directory = try? Directory.open(parent), let names = try? directory.names() else { return }
    for name in names where name.inFolder(parent).string.hasPrefix(prefix) {
      guard let status = try? directory.status(of: name), status.kind == .directory,
        status.owner == geteuid(),
        let lock = try? FolderLock(name.inFolder(parent), exclusive: true)
      else { continue }
      defer { withExtendedLifetime(lock) {} }
      try? FileManager.default.removeItem(atPath: name.inFolder(parent).string)
    }
  }
}
