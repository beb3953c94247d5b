internal import Databases
import FileSystem
import Foundation
import Operations
import Synchronization
import SystemPackage

/// The folder `.staging/ID` of one operation. Files are staged under numbers.
package final class StagingFolder: Sendable {
  /// The folder that has the staging folders of all operations.
  static let parent: FilePath = ".staging"

  /// The ID of the operation.
  let id: String
  let directory: Directory
  private let library: OpenFolder
  /// The names of leftover files that were moved here.
  private let reused = Mutex<Set<String>>([])

  /// Makes the folder of an operation.
  init(in library: OpenFolder, id: String = UUID().uuidString) throws(FileError) {
    (self.library, self.id) = (library, id)
    let path = Self.path(of: id)
    try library.directory.makeDirectory(Self.parent)
    try library.directory.makeDirectory(path)
    directory = try library.directory.directory(path)
  }

  /// The path of an operation's folder, relative to the library.
  static func path(of id: String) -> FilePath { parent.appending(id) }

  /// Its path, relative to the library.
  var path: FilePath { Self.path(of: id) }

  /// Makes a new file. Its name is a number. Any thread.
  package func stage(_ name: String) throws(FileError) -> File { try directory.open(FilePath(name), .create) }

  /// Sets the date of a staged file. Any thread.
  func setModified(_ name: String, _ time: Timestamp) throws(FileError) {
    try directory.open(FilePath(name), .read).setModified(time)
  }

  /// Removes a staged file. Any thread.
  package func unstage(_ name: String) throws(FileError) { try directory.remove(FilePath(name)) }

  /// Moves a leftover file here. Any thread.
  ///
  /// - Returns: false if no verified leftover file has the content.
  func reuse(
    _ content: FileContent, of leftovers: LeftoverFiles, as name: String, modified: Timestamp
  ) -> Bool {
    guard leftovers.take(content, to: directory, as: FilePath(name), modified: modified) else { return false }
    reused.withLock { _ = $0.insert(name) }
    return true
  }

  /// Makes the contents of files durable: many together with the rest of their file system, where that is possible.
  func sync(_ names: [String]) throws {
    var names = names
    // The descriptor of the folder is older than the files, so the call reports each of their pages that was lost.
    // Leftover files are older: a page of theirs may have been lost and reported to another process.
    if names.count >= Self.manyFiles, try directory.syncFileSystem() {
      let reused = reused.withLock { $0 }
      names = reused.isEmpty ? [] : names.filter(reused.contains)
    }
    try Workers.forEach(0..<names.count, threads: 8) { [names] index in
      try self.directory.open(FilePath(names[index]), .read).sync()
    }
  }

  static let manyFiles = 32

  /// Makes the names of the staged files durable.
  func syncNames() throws(FileError) {
    try directory.sync()
    try library.directory.directory(Self.parent).sync()
    try library.directory.sync()
  }

  /// Removes the staged files and the folder of an operation. Untracked files in it stay.
  ///
  /// - Returns: whether the folder existed and is removed.
  @discardableResult
  static func remove(_ id: String, from library: borrowing Directory) throws(FileError) -> Bool {
    let folder = path(of: id)
    guard try library.status(of: folder)?.kind == .directory else { return false }
    try library.removeFolder(folder, of: isNumber)
    return try library.status(of: folder) == nil
  }
}

extension StagingFolder {
  /// Returns the IDs of the operations that have a staging folder.
  static func operations(in library: Library) throws(FileError) -> [String] {
    guard try library.root.status(of: parent)?.kind == .directory else { return [] }
    return try library.root.directory(parent).names().map(\.string).filter(isOperationID)
  }

  /// Returns the staged files of an operation, with paths relative to the library. Skips everything that another process
  /// removes meanwhile.
  static func files(
    of id: String, in library: Library
  ) throws(FileError) -> [(path: FilePath, status: FileStatus)] {
    do {
      let folder = try library.root.directory(path(of: id))
      var files: [(path: FilePath, status: FileStatus)] = []
      for name in try folder.names() where isNumber(name) {
        guard let status = try folder.status(of: name), status.kind == .file else { continue }
        files.append((name.inFolder(path(of: id)), status))
      }
      return files
    } catch {
      guard error.isMissing else { throw error }
      return []
    }
  }

  /// Returns true if a name in `.staging`, `.undo` or `.rotten` is the ID of an operation. Everything else there is
  /// untracked.
  static func isOperationID(_ name: String) -> Bool { UUID(uuidString: name) != nil }

  /// Returns true if a name in the folder of an operation is one that this program gave to a file.
  static func isNumber(_ name: FilePath) -> Bool {
    !name.isEmpty && name.string.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
