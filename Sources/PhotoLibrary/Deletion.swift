import Checksums
internal import Databases
internal import GRDB

/// A deliberate removal of a category, or of content from a category, also by a movement to another category.
public struct Deletion: Sendable, Equatable {
  /// The category's `name`.
  public var category: String
  /// The MD5 of the photo's file; nil for an asset, and for the category itself.
  public var md5: MD5Digest?
  /// The path of an asset of the app.
  public var assetPath: String?
  /// The time, in milliseconds since 1970; not before the sequence number of an earlier export, whatever the clock did.
  public var at: Int64
}

extension Library {
  /// Returns the removals since an export, the oldest first. Undone removals are not included.
  ///
  /// - Parameter date: the sequence number of the export.
  public func deletions(since date: Int64) throws -> [Deletion] {
    try read { database in
      try database.rows(
        "SELECT origin, md5, assetPath, at FROM movement WHERE at >= ? AND origin IS NOT NULL ORDER BY rowid",
        [date], of: "movement"
      ) { row in
        Deletion(
          category: try row.text("origin", at: 0), md5: try row.optionalMD5("md5", at: 1),
          assetPath: try row.optionalText("assetPath", at: 2), at: try row.integer("at", at: 3))
      }.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
  }

  /// Returns the IDs of all archives that the library has records of, since its last reset.
  public func exportIDs() throws -> Set<String> {
    try read { database in
      try Set(
        database.rows("SELECT id FROM export WHERE \(ExportRecord.isOwn)", of: "export") {
          try $0.text("id", at: 0)
        })
    }
  }
}
