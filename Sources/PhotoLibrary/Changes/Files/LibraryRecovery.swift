import Checksums
import FileSystem
internal import GRDB
import Logging
import SystemPackage

/// Brings a library back to a consistent state after an operation was interrupted or failed.
///
/// Every writer runs it when it opens the library. It is idempotent. It removes or moves only files that a row
/// identifies by path and content; all other files are untracked and stay. docs/contributing/recovery-protocol.md lists
/// the states.
struct LibraryRecovery {
  let writer: LibraryWriter
  /// What to do with staged files that no photo needs.
  var leftovers = LeftoverFiles.Treatment.remove
  private var library: Library { writer.library }

  /// The steps of a recovery that failed.
  struct Failures: Sendable {
    /// The reasons by the IDs of the operations.
    fileprivate(set) var operations: [String: String] = [:]
    /// Why the files of replaced photos were neither moved nor deleted; nil if they were.
    fileprivate(set) var replacedFiles: String?
  }

  /// Finishes every interrupted operation, then moves and deletes replaced files. A step that fails is logged, and the
  /// next writer repeats it: the rows are consistent without it.
  @discardableResult
  func run() throws -> Failures {
    var failures = Failures()
    for operation in try interruptedOperations() {
      do {
        if try finish(operation) {
          Self.logger.notice("recovered from an interrupted operation", metadata: metadata(["id": operation]))
        }
      } catch {
        failures.operations[operation] = "\(error)"
        Self.logger.warning(
          "cannot recover from an interrupted operation; the next command that changes the library tries again",
          metadata: metadata(["id": operation, "reason": "\(error)"]))
      }
    }
    do {
      if try !ReplacedFiles(writer).settle() { failures.replacedFiles = ReplacedFiles.reasonOfReaders }
    } catch {
      failures.replacedFiles = "\(error)"
      Self.logger.warning(
        "cannot move or delete the files of replaced photos; the next command that changes the library tries again",
        metadata: metadata(["reason": "\(error)"]))
    }
    return failures
  }

  private static let logger = Logger(label: "smilepile.library")

  private func metadata(_ values: [String: String]) -> Logger.Metadata {
    values.mapValues { .string($0) }.merging(["library": "\(library.path)"]) { $1 }
  }

  /// The IDs of operations that left rows or a staging folder.
  private func interruptedOperations() throws -> [String] {
    let operations = try library.read(FileMove.operations).filter(StagingFolder.isOperationID)
    return try operations.union(StagingFolder.operations(in: library)).sorted()
  }

  /// Reverts or completes the pending moves of an operation, then removes its rows and, unless leftover files are kept, its
  /// staging folder. An operation without pending moves is complete, or has not moved a file yet.
  ///
  /// - Returns: whether anything was done.
  @discardableResult
  func finish(_ operation: String) throws -> Bool {
    let moves = try library.read { try FileMove.pending(operation: operation, in: $0) }
    var isFinished = true
    for move in moves where move.isValid {
      switch move.kind {
      case .add: try removeUncommitted(move)
      case .repair: if try !completeRepair(move) { isFinished = false }
      }
    }
    guard isFinished else { return true }
    syncFolders(of: moves)
    // the rows go first: recovery uses the rows and the staged file to tell its own file from one that another program put
    // at the same path
    if !moves.isEmpty { try writer.write { try FileMove.delete(operation: operation, from: $0) } }
    let isRemoved = try leftovers == .remove && StagingFolder.remove(operation, from: library.root)
    return isRemoved || !moves.isEmpty
  }

  /// Makes removals durable before the rows go. A failure is ignored: the worst result is an untracked file, which
  /// `verify` reports.
  private func syncFolders(of moves: [FileMove]) {
    for folder in Set(moves.filter(\.isValid).map { $0.targetPath.removingLastComponent() }) {
      // the folder and its ancestors may have been removed with the last file
      for count in stride(from: folder.components.count, to: 0, by: -1) {
        guard let found = try? library.root.directory(FilePath(root: nil, folder.components.prefix(count)))
        else { continue }
        try? found.sync()
        break
      }
    }
  }

  // MARK: New photos

  /// Removes a file that an operation moved to the place of a photo and did not commit, or moves it back to the staging
  /// folder if leftover files are kept. The file stays if a row has its path, if its MD5 differs, or if the staged file
  /// still exists: then another program put this file there.
  private func removeUncommitted(_ move: FileMove) throws {
    let place = move.targetPath
    guard let status = try library.root.status(of: place) else {
      return try library.root.removeEmptyFolders(above: place)
    }
    guard status.kind == .file else { return }
    let staged = try library.root.status(of: move.stagedPath)
    if let staged, staged.identity != status.identity {
      // an empty file reserved the name, where the file system cannot rename without replacing
      guard status.size == 0, staged.size > 0 else { return }
    } else {
      let digest = try MD5Digest.ofFile(library.root.open(place, .read)).digest
      guard try !hasRow(place), digest == move.md5 else { return }
    }
    if staged != nil || leftovers == .remove || !moveBack(move) { try library.root.remove(place) }
    try library.root.removeEmptyFolders(above: place)
  }

  /// Moves a file back to the staging folder; returns false if that is not possible.
  private func moveBack(_ move: FileMove) -> Bool {
    do {
      try library.root.makeDirectories(move.stagedPath.removingLastComponent(), sync: false)
      try library.root.rename(move.targetPath, to: library.root, as: move.stagedPath)
      return true
    } catch {
      return false
    }
  }

  /// Returns true if a photo, or a photo that an undo can bring back, has a path.
  private func hasRow(_ place: FilePath) throws -> Bool {
    try library.read { database in
      try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT * FROM photo WHERE path = ?1 AND NOT isFromAssets)
            OR EXISTS (SELECT * FROM replacedPhoto WHERE path = ?1)
          """, arguments: [place.string]) ?? false
    }
  }

  // MARK: Repaired photos

  /// Gives a photo a file if its place is empty: the staged file if its MD5 is right, otherwise the corrupt file that
  /// the repair moved away. A failure is logged, so that one photo does not block the library.
  ///
  /// - Returns: false if the photo still needs the staged file.
  private func completeRepair(_ move: FileMove) throws -> Bool {
    guard let photo = try photo(of: move) else { return true }
    do {
      try fillPlace(of: photo, move)
      try library.root.remove(move.stagedPath)
      return true
    } catch {
      Self.logger.warning(
        "cannot complete the repair of a photo; the next command that changes the library tries again",
        metadata: metadata(["photo": move.target.escaped, "reason": "\(error)"]))
      // a file whose status cannot be read may be the staged file
      return (try? library.root.status(of: move.stagedPath) == nil) ?? false
    }
  }

  private func photo(of move: FileMove) throws -> Photo? {
    try library.read { database in
      try Photo.fetchOne(
        database,
        sql: """
          SELECT \(Photo.columns) FROM photo WHERE path = ? AND md5 = ? AND NOT isFromAssets
          """, arguments: [move.target, move.md5.blob])
    }
  }

  private func fillPlace(of photo: Photo, _ move: FileMove) throws(FileError) {
    guard try library.root.status(of: move.targetPath) == nil else { return }
    let corrupt = Quarantine.path(of: move.operationID).appending(Quarantine.fileName(of: photo))
    if let digest = try? MD5Digest.ofFile(library.root.open(move.stagedPath, .read)).digest,
      digest == move.md5
    {
      do throws(FileError) {
        try library.root.open(move.stagedPath, .read).sync()
        return try library.move(move.stagedPath, to: move.targetPath)
      } catch {
        guard (try? library.root.status(of: corrupt)) != nil else { throw error }
      }
    }
    if try library.root.status(of: corrupt) != nil { try library.move(corrupt, to: move.targetPath) }
  }
}

extension Library {
  /// Moves a file to another place in the library, and makes the new name durable.
  func move(_ file: FilePath, to place: FilePath) throws(FileError) {
    let parent = place.removingLastComponent()
    try folder.directory.makeDirectories(parent)
    try folder.directory.rename(file, to: folder.directory, as: place)
    try folder.directory.directory(parent).sync()
  }
}
