import ArchiveCatalog
import FileSystem
import SystemPackage

/// An open inbox. Names in it come from other programs and machines: each is one component, resolved in the open folder
/// and never through a symbolic link.
struct InboxFolder: ~Copyable {
  let inbox: Inbox
  let directory: Directory
  /// The absolute path without symbolic links.
  let location: String

  init(_ inbox: Inbox, _ directory: consuming Directory) {
    self.inbox = inbox
    location = ArchiveFile.location(of: directory.path)
    self.directory = directory
  }

  /// Returns the regular files without hidden ones, those that were modified first before the others. Blocks.
  func files() throws(FileError) -> [(name: FilePath, status: FileStatus)] {
    var files: [(name: FilePath, status: FileStatus)] = []
    for name in try directory.names() where !name.string.hasPrefix(".") {
      guard let status = try directory.status(of: name), status.kind == .file else { continue }
      files.append((name, status))
    }
    return files.sorted { ($0.status.modified, $0.name.string) < ($1.status.modified, $1.name.string) }
  }

  /// Returns the version of a file for the ledger.
  func version(_ name: FilePath, _ status: FileStatus) -> ArchiveFile {
    ArchiveFile(location: "\(location)/\(name.string)", status)
  }

  /// Why a file could not be moved.
  struct MoveError: Error, CustomStringConvertible {
    let path: FilePath
    let reason: String

    /// Describes the error in one line.
    var description: String { "cannot move \(path): \(reason)".escaped }
  }

  /// Moves an imported file into the folder `imported`, under its name or, if that is taken, under the name with a number.
  /// Never replaces a file. Durable afterwards. Blocks.
  ///
  /// Another program may put a new file in the place of the imported one at any time. A file that was moved and is not
  /// `file` goes back.
  ///
  /// - Parameter file: the imported file, which is open.
  /// - Returns: the new name in the inbox: `imported/name`.
  /// - Throws: `MoveError`, `OwnershipError`, or `FileError`. Then the file is in its place.
  func setAside(_ name: FilePath, _ file: borrowing File) throws -> FilePath {
    try directory.makeDirectory(Inbox.imported)
    guard let status = try directory.status(of: Inbox.imported), status.kind == .directory else {
      throw MoveError(
        path: directory.path(of: name),
        reason: "\(directory.path(of: Inbox.imported)) is not a folder; rename it")
    }
    if !Ownership.isTrusted(directory.path) {
      try Ownership.require(status, inOwnFolderAt: directory.path(of: Inbox.imported))
    }
    let imported = try directory.directory(Inbox.imported)
    let new = try rename(name, to: imported)
    guard try imported.status(of: new)?.identity == file.status().identity else {
      try imported.rename(new, to: directory, as: name)
      throw MoveError(path: directory.path(of: name), reason: "another program has replaced it meanwhile")
    }
    // the new name first, so that a crash leaves at least one name
    try imported.sync()
    try directory.sync()
    return new.inFolder(Inbox.imported)
  }

  private func rename(_ name: FilePath, to folder: borrowing Directory) throws -> FilePath {
    for new in [name] + (2...Self.mostNames).map({ name.numbered($0) }) {
      do throws(FileError) {
        try directory.rename(name, to: folder, as: new)
        return new
      } catch {
        guard error.errno == .fileExists else { throw error }
      }
    }
    throw MoveError(
      path: directory.path(of: name),
      reason: "\(Self.mostNames) files in \(folder.path) have its name; remove some of them")
  }

  private static let mostNames = 1000

  /// Deletes a file. Moves it into the folder `imported` first, so that a file that another program puts in its place is
  /// never deleted. Durable afterwards. Blocks.
  ///
  /// - Throws: as `setAside`.
  func delete(_ name: FilePath, _ file: borrowing File) throws {
    let isNew = try directory.status(of: Inbox.imported) == nil
    let moved = try setAside(name, file)
    try directory.remove(moved)
    try directory.directory(Inbox.imported).sync()
    // the folder is not empty if another process uses it
    if isNew { _ = try? directory.remove(Inbox.imported, isDirectory: true) }
  }
}

extension FilePath {
  /// Returns a file name with a number before its extension: `backup-2.zip`.
  fileprivate func numbered(_ number: Int) -> FilePath {
    guard let stem, let `extension` else { return FilePath("\(string)-\(number)") }
    return FilePath("\(stem)-\(number).\(`extension`)")
  }
}
