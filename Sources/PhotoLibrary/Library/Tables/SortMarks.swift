internal import Databases
import Foundation
internal import GRDB

/// The marks that a run of `sort` leaves on photos, so that the next run does not consider them again. They belong to the
/// library's ID: a library with a new ID has none.
struct SortMarks: Sendable, Equatable {
  /// The digest of the rules.
  let rules: Data
  /// The IDs of the photos that the run considered.
  let photos: [Int64]

  /// Marks the photos in their present categories, and removes the marks of other rules.
  func insert(_ database: Database) throws {
    try database.execute(
      sql: "DELETE FROM sortMark WHERE library = (SELECT uuid FROM identity) AND rules <> ?",
      arguments: [rules])
    try mark(photos, database)
  }

  /// Marks those photos that moved, in their new categories.
  func insertMoved(_ moved: [Photo], _ database: Database) throws {
    let considered = Set(photos)
    try mark(moved.map(\.id).filter(considered.contains), database)
  }

  private func mark(_ photos: [Int64], _ database: Database) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO sortMark (library, category, content, rules)
        SELECT uuid, category.name, \(SortedPhoto.contentOfPhoto), ?
        FROM photo JOIN category ON category.id = categoryId, identity WHERE photo.id = ?
        """)
    for id in photos { try statement.execute(arguments: [rules, id]) }
  }
}

/// A photo in a category, as `sort` remembers it: by content, so that it is the same photo after the next import.
struct SortedPhoto: Hashable {
  /// MD5 and length of the bytes, or the path of an asset of the app.
  private let content: String
  /// The `name` of the category.
  private let category: String

  /// The content of a row of `photo` in SQL.
  static let contentOfPhoto =
    "iif(isFromAssets, 'asset ' || path, lower(hex(md5)) || ' ' || fileSize)"
  /// The content of a row of `movement` in SQL; NULL if the row names no photo.
  static let contentOfMovement =
    "iif(md5 IS NULL, 'asset ' || assetPath, lower(hex(md5)) || ' ' || size)"

  /// - Returns: nil if the photo has no category.
  init?(_ photo: Photo, in categories: [Int64: Category]) {
    guard let category = categories[photo.categoryId] else { return nil }
    self.category = category.name
    content = photo.md5.map { "\($0) \(photo.fileSize)" } ?? "asset \(photo.path)"
  }

  /// Reads the columns `content` and `category`.
  init(_ row: RowReader) throws {
    content = try row.text("content", at: 0)
    category = try row.text("category", at: 1)
  }

  static func fetchSet(
    _ sql: String, _ arguments: StatementArguments = StatementArguments(), of table: String,
    _ database: Database
  ) throws -> Set<SortedPhoto> {
    try Set(database.rows(sql, arguments, of: table) { try SortedPhoto($0) })
  }
}
