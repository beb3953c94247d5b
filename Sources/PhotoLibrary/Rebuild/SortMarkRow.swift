internal import Databases
import Foundation
internal import GRDB

/// A row of the table `sortMark`: a photo that `sort` considered.
struct SortMarkRow: Sendable, Hashable {
  /// The library ID.
  let library: String
  /// The `name` of the category.
  let category: String
  /// The content of the photo.
  let content: String
  /// The digest of the rules.
  let rules: Data

  static func fetchAll(_ database: Database) throws -> [SortMarkRow] {
    try database.rows("SELECT library, category, content, rules FROM sortMark", of: "sortMark") { row in
      SortMarkRow(
        library: try row.text("library", at: 0), category: try row.text("category", at: 1),
        content: try row.text("content", at: 2), rules: try row.bytes("rules", at: 3, count: 32...32))
    }
  }

  /// Inserts the mark, unless there is one of the same photo.
  func insert(_ database: Database) throws {
    try database.execute(
      sql: "INSERT OR IGNORE INTO sortMark (library, category, content, rules) VALUES (?, ?, ?, ?)",
      arguments: [library, category, content, rules])
  }
}

extension Movement {
  /// Returns the places of the movements of `sort` among those of `fetchAll`.
  static func fetchPlacesOfSort(_ database: Database) throws -> Set<Int> {
    let isOfSort = try database.rows(
      """
      SELECT changeId IN (SELECT id FROM change WHERE kind = '\(Change.Kind.sort.rawValue)') \(validRows) ORDER BY id
      """, of: table
    ) { try $0.flag("changeId", at: 0) }
    return Set(isOfSort.indices.filter { isOfSort[$0] })
  }
}
