import Checksums
internal import Databases
internal import GRDB
import SystemPackage

/// The rename of a staged file to the place of a photo, as a row of the table `fileMove`.
///
/// The row is durable before the file is renamed, and the transaction that completes the operation deletes it. The rows
/// that a writer finds when it opens the library are therefore those of interrupted operations, which `LibraryRecovery`
/// reverts or completes.
struct FileMove: Sendable, Equatable {
  /// What the operation does with the file, and so what recovery does.
  enum Kind: String, Sendable {
    /// The file becomes a new photo. Recovery removes it.
    case add
    /// The file replaces the corrupt or missing file of a photo. Recovery sees that the photo has a file.
    case repair
  }

  /// The ID of the operation, which is the name of its staging folder.
  let operationID: String
  let kind: Kind
  /// The name of the file in the staging folder, relative to that folder.
  let source: String
  /// The place of the photo, relative to the library.
  let target: String
  let md5: MD5Digest

  /// The path of the staged file, relative to the library.
  var stagedPath: FilePath { StagingFolder.path(of: operationID).appending(FilePath(source).components) }

  /// The place of the photo, relative to the library.
  var targetPath: FilePath { FilePath(target) }

  /// True if source and target are paths that this program writes. Recovery ignores all others.
  var isValid: Bool {
    let path = targetPath
    return path.string == target && path.isRelative && path.starts(with: "photos")
      && path.lexicallyNormalized() == path && StagingFolder.isNumber(FilePath(source))
  }
}

extension FileMove {
  /// Inserts moves. The caller has begun a transaction.
  static func insert(_ moves: some Sequence<FileMove>, into database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "INSERT INTO fileMove (operationId, kind, source, target, md5) VALUES (?, ?, ?, ?, ?)")
    for move in moves {
      try statement.execute(
        arguments: [move.operationID, move.kind.rawValue, move.source, move.target, move.md5.blob])
    }
  }

  /// Deletes the moves of an operation.
  static func delete(operation: String, from database: Database) throws {
    try database.execute(sql: "DELETE FROM fileMove WHERE operationId = ?", arguments: [operation])
  }

  /// Returns the pending moves of an operation, or of all operations.
  static func pending(operation: String? = nil, in database: Database) throws -> [FileMove] {
    try database.rows(
      """
      SELECT operationId, kind, source, target, md5 FROM fileMove WHERE ?1 IS NULL OR operationId = ?1 ORDER BY rowid
      """, [operation], of: "fileMove"
    ) { row in
      FileMove(
        operationID: try row.text("operationId"), kind: try row.enumeration("kind", as: Kind.self),
        source: try row.text("source"), target: try row.text("target"), md5: try row.md5("md5"))
    }
  }

  /// Returns the operations that have pending moves.
  static func operations(in database: Database) throws -> Set<String> {
    try Set(
      database.rows("SELECT operationId FROM fileMove", of: "fileMove") { row in
        try row.text("operationId", at: 0)
      })
  }
}
