internal import Databases
import FileSystem
import Foundation
internal import GRDB
import ImageHeader
import Operations
import SystemPackage

/// The folder of a library whose database is missing or cannot be read. It is locked as long as the value exists, unless
/// it was opened only for reading.
package final class LostLibrary: Sendable {
  /// The folder, as the caller gave it.
  package let path: FilePath
  let folder: OpenFolder
  var root: Directory { _read { yield folder.directory } }
  private let folders = PhotoFolders()
  private let lock: FileLock?
  /// True if nothing may be written.
  var isReadOnly: Bool { lock == nil }

  /// Checks that the folder is a library that cannot be used, and takes its lock. Blocks.
  ///
  /// - Parameters:
  ///   - isReadOnly: true to write nothing, and to take no lock.
  ///   - lockWait: how long to wait for another writer to end.
  ///   - whileWaiting: called ten times a second while it waits; may throw to give up.
  /// - Throws: `RebuildError.isIntact`, `LibraryError`, `OwnershipError`, `FileLock.Busy` or `FileError`.
  package init(
    path: FilePath, isReadOnly: Bool, lockWait: Duration = .zero, whileWaiting: () throws -> Void = {}
  ) throws {
    let folder = try Library.openFolder(path)
    try Self.requireRemains(folder.directory)
    if let name = try folder.directory.fileSystem().networkProtocol {
      throw LibraryError.networkFileSystem(path, protocol: name)
    }
    try Library.requireOwnership(folder.directory)
    // an intact library is not even locked
    try Self.requireFault(in: folder, path)
    if isReadOnly {
      lock = nil
    } else {
      lock = try FileLock(
        "library.lock", in: folder.directory, waiting: lockWait, whileWaiting: whileWaiting)
    }
    // the process that had the lock until now may have rebuilt the library
    try Self.requireFault(in: folder, path)
    (self.path, self.folder) = (path, folder)
  }

  private static func requireFault(in folder: OpenFolder, _ path: FilePath) throws {
    guard try Library.databaseFault(in: folder) == nil else { return }
    throw RebuildError.isIntact(path)
  }

  /// Throws if a folder has neither photos nor the lock of a library, and no database of one either. Another program may have
  /// made a file with the name of the database.
  private static func requireRemains(_ root: borrowing Directory) throws {
    if try root.status(of: "photos")?.kind == .directory { return }
    if try root.status(of: "library.lock")?.kind == .file { return }
    if try root.status(of: Library.databaseName)?.kind == .file {
      let start = try root.open(Library.databaseName, .read).read(DatabaseHeader.length, at: 0)
      if DatabaseHeader.isOfLibrary(start) { return }
    }
    throw LibraryError.notALibrary(root.path)
  }

  /// Opens a file by its path in the library, never through a symbolic link. Any thread.
  package func open(_ path: String) throws(FileError) -> File { try folders.open(path, in: root) }

  /// Reads the header of a file. Blocks.
  ///
  /// - Returns: nil if the file is no photo by the rules of `add`.
  package func photoHeader(of path: String) throws(FileError) -> ImageHeader? {
    let header = try ImageHeader.read(from: open(path))
    return header.format != nil || PhotoKind.isPhotoEnding(FilePath(path).extension ?? "") ? header : nil
  }

  /// Throws if the file system lacks space for files of these bytes and for a database of this number of photos.
  ///
  /// - Throws: `LibraryError.notEnoughSpace`, or `FileError`.
  package func requireSpace(_ bytes: Int, photos: Int) throws {
    let needed = bytes.saturated(plus: photos.saturated(times: Self.bytesOfRow))
    try root.fileSystem().requireSpace(needed, margin: bytes / 100 + 4 << 20) {
      LibraryError.notEnoughSpace(path, needed: $0, free: $1)
    }
  }

  /// More than the row of a photo and its entries in the indices have.
  private static let bytesOfRow = 512
}

extension Library {
  /// Reads every row of a database, and checks its structure. Blocks; writes only SQLite's files `-shm` and `-wal`.
  ///
  /// - Returns: what is wrong with the database; nil if it is intact.
  /// - Throws: `LibraryError` or `FileError` if something else prevents its use, such as a missing permission.
  static func databaseFault(in folder: OpenFolder) throws -> String? {
    guard let status = try folder.directory.status(of: databaseName) else { return "it is missing" }
    guard status.kind == .file else { return "it is not a file" }
    guard status.size > 0 else { return "it is empty" }
    guard try LostDatabases.unfinishedRebuild(in: folder.directory) == nil else {
      return "a rebuild was interrupted"
    }
    let file: DatabaseFile
    do {
      file = try check(folder.directory)
    } catch LibraryError.notALibrary, LibraryError.database, LibraryError.corruptDatabase {
      return "it is not the database of a library"
    } catch let error as FileError where error.errno == .ioError {
      return "it cannot be read"
    }
    do {
      let pinned = try PinnedDatabase(databaseName, in: folder, .waiting(readonly: true))
      return try withExtendedLifetime(file) {
        try pinned.queue.read(Self.fault)
      }
    } catch {
      guard let fault = DatabaseError(ofQuery: error) else { throw error }
      if fault.mayBeDamage { return fault.reason }
      let cause = translation(of: fault, file, in: folder.directory)
      // the disk has lost a part of the file
      if (cause as? FileError)?.errno == .ioError { return "it cannot be read" }
      throw cause
    }
  }

  private static func fault(of database: Database) throws -> String? {
    // whatever the version is: the number may be damaged, too
    if let difference = try Schema.library.difference(in: database) { return difference }
    _ = try LibraryContents(database)
    _ = try UndoStack(database)
    _ = try FileMove.pending(in: database)
    _ = try ExportRecord.fetchAll(database, sql: "SELECT *, rowid FROM export")
    _ = try database.rows("SELECT id, kind, at FROM change", of: "change") { try Change.Record($0) }
    _ = try PINRecord(database)
    guard let id = try String.fetchOne(database, sql: "SELECT uuid FROM identity"),
      UUID(uuidString: id) != nil
    else { return "it has no library ID" }
    let answer = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)")
    return answer == "ok" ? nil : answer ?? "its structure cannot be checked"
  }
}
