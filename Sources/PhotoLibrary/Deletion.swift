import Checksums
internal import GRDB

/// Something that was removed from a library on purpose: content of a category, or a category.
public struct Deletion: Sendable, Equatable {
  /// The category's `name`.
  public var category: String
  /// The MD5 of the photo's file; nil for an asset, and for the category itself.
  public var md5: MD5Digest?
  /// The path of an asset of the app.
  public var assetPath: String?
  /// When, in milliseconds since 1970.
  public var at: Int64
}

extension Library {
  /// What was removed at this moment or later, in milliseconds since 1970, the oldest first. What an undo has brought
  /// back is not among it.
  public func deletions(since date: Int64) throws -> [Deletion] {
    try read { database in
      let rows = try Row.fetchAll(
        database,
        sql: "SELECT category, md5, assetPath, at FROM deletion WHERE at >= ? ORDER BY at, rowid",
        arguments: [date])
      return rows.map { Deletion(category: $0[0], md5: MD5Digest(blob: $0[1]), assetPath: $0[2], at: $0[3]) }
    }
  }

  /// The numbers of all backups that were made of this library, as far as it remembers.
  public func exportIDs() throws -> Set<String> {
    try read { database in try Set(String.fetchAll(database, sql: "SELECT id FROM export")) }
  }
}
