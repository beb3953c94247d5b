import FileSystem
import Operations
import SystemPackage

/// A folder into which other programs put backups of phones. A run of the job imports them.
package struct Inbox: Sendable, Equatable {
  /// What happens to a backup after its import.
  enum AfterImport: String, Sendable, CaseIterable {
    /// The file stays.
    case keep
    /// The file moves to the folder `imported` in the inbox.
    case move
    /// The file is deleted once a verified archive of the job contains all its photos.
    case delete
  }

  /// The folder.
  package var path: FilePath
  /// The name of the phone or person whose backups arrive here, for messages.
  package var phone: String?
  /// What happens to a backup after its import.
  var afterImport = AfterImport.move

  /// Makes an inbox that moves imported backups.
  package init(path: FilePath) { self.path = path }

  /// Returns a message with the name of the phone before it, if the inbox has one.
  func naming(_ message: String) -> String { phone.map { "\($0.escaped): \(message)" } ?? message }

  /// The name of the folder in an inbox that has the imported backups.
  static let imported: FilePath = "imported"
}

/// Why an inbox cannot be used.
package enum InboxFault: ExplainedError, Sendable, Equatable, CustomStringConvertible {
  /// The folder is missing.
  case missing(FilePath)
  /// The path is a symbolic link, which another program could redirect.
  case symbolicLink(FilePath)
  /// The path is not a folder.
  case notAFolder(FilePath)
  /// Backups cannot be moved out of the folder.
  case notWritable(FilePath, reason: String)
  /// The folder is the library, is in it, or contains it.
  case overlapsLibrary(FilePath, library: FilePath)
  /// The folder is a destination, is in it, or contains it: an archive of the job would be imported again.
  case overlapsDestination(FilePath, destination: FilePath)
  /// Another process is importing from the inboxes of this user.
  case busy(FileLock.Busy)

  package var cause: ErrorCause { if case .busy = self { .busy } else { .other } }

  /// Describes the error and its remedy in one line.
  package var description: String {
    switch self {
    case .missing(let path):
      "the inbox \(path) is missing; create the folder, or mount its disk".escaped
    case .symbolicLink(let path):
      "the inbox \(path) is a symbolic link; write the path of the folder that it leads to".escaped
    case .notAFolder(let path): "the inbox \(path) is not a folder; choose a folder".escaped
    case .notWritable(let path, let reason):
      "cannot move backups out of the inbox \(path): \(reason); make the folder writable, or add “after-import: keep”"
        .escaped
    case .overlapsLibrary(let path, let library):
      "the inbox \(path) and the library \(library) overlap; choose a folder outside the library".escaped
    case .overlapsDestination(let path, let destination):
      "the inbox \(path) and the destination \(destination) overlap; choose another folder".escaped
    case .busy(let busy):
      "\(busy.owner.isEmpty ? "another process" : busy.owner) is importing from an inbox; the next run tries again"
        .escaped
    }
  }
}

extension Inbox {
  /// Throws if the inbox overlaps the library or a destination, by its path or where its path leads. Blocks.
  func checkOverlap(with library: FilePath?, _ destinations: [FilePath]) throws(InboxFault) {
    if let library, path.overlaps(library) { throw .overlapsLibrary(path, library: library) }
    for destination in destinations where path.overlaps(destination) {
      throw .overlapsDestination(path, destination: destination)
    }
  }

  /// Checks that the inbox can be used, and opens it. Blocks; writes nothing.
  ///
  /// - Throws: `InboxFault`; `OwnershipError` if other users can exchange the folder; `FileError`.
  func open(outside library: FilePath, _ destinations: [FilePath]) throws -> InboxFolder {
    try checkOverlap(with: library, destinations)
    let folder = try openFolder()
    try Ownership.require(folder)
    if afterImport != .keep, let errno = folder.writeFault() {
      throw InboxFault.notWritable(path, reason: "\(errno)")
    }
    return InboxFolder(self, folder)
  }

  /// Opens the folder without following a link in the last component of its path.
  private func openFolder() throws -> Directory {
    guard let name = path.lastComponent else { return try Directory.open(path) }
    do {
      let parent = try Directory.open(path.folder)
      let name = FilePath(name.string)
      switch try parent.status(of: name)?.kind {
      case nil: throw InboxFault.missing(path)
      case .symbolicLink: throw InboxFault.symbolicLink(path)
      case .file, .other: throw InboxFault.notAFolder(path)
      case .directory: return try parent.directory(name)
      }
    } catch let error as FileError {
      throw error.isMissing ? InboxFault.missing(path) : error as any Error
    }
  }
}

extension FilePath {
  /// Returns true if one of two folders is the other, or is in it, by their paths or where the paths lead. Blocks.
  fileprivate func overlaps(_ other: FilePath) -> Bool {
    starts(with: other) || other.starts(with: self) || leads(into: other) || other.leads(into: self)
  }
}
