internal import Databases
internal import GRDB

/// A pair of different contents that a person does not take for duplicates, by MD5 and size: renaming, moving and a new
/// import of the photos keep it. It belongs to the library's ID: a library with a new ID has none.
package struct Dismissal: Hashable, Sendable {
  /// The content whose text is less, and the other one.
  private let content: String
  private let other: String

  /// Makes a pair of contents in any order; nil if they are equal.
  package init?(_ one: FileContent, _ two: FileContent) {
    guard one != two else { return nil }
    // all bytes are ASCII, so that the order is the one of SQLite
    (content, other) = one.text < two.text ? (one.text, two.text) : (two.text, one.text)
  }

  /// The texts of the two contents.
  package var texts: [String] { [content, other] }

  private init(_ row: RowReader) throws {
    (content, other) = (try row.text("content", at: 0), try row.text("other", at: 1))
  }

  /// Adds the pair to the library, unless the library has it already.
  func insert(changeID: String, _ database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT OR IGNORE INTO dismissal (library, content, other, changeId) SELECT uuid, ?, ?, ? FROM identity
        """
    ).execute(arguments: [content, other, changeID])
  }

  /// Removes the pair from the library.
  func delete(_ database: Database) throws {
    try database.cachedStatement(
      sql: """
        DELETE FROM dismissal WHERE library = (SELECT uuid FROM identity) AND content = ? AND other = ?
        """
    ).execute(arguments: [content, other])
  }

  /// Removes the pairs that a change added.
  static func delete(changeID: String, _ database: Database) throws {
    try database.execute(sql: "DELETE FROM dismissal WHERE changeId = ?", arguments: [changeID])
  }

  /// Returns the pairs of the library.
  static func fetchAll(_ database: Database) throws -> Set<Dismissal> {
    try Set(
      database.rows(
        "SELECT content, other FROM dismissal WHERE library = (SELECT uuid FROM identity)", of: "dismissal"
      ) { try Dismissal($0) })
  }
}

extension Library {
  /// Returns the pairs of contents that a person does not take for duplicates. Blocks.
  package func dismissals() throws -> Set<Dismissal> { try read { try Dismissal.fetchAll($0) } }
}

extension FileContent {
  package var text: String { "\(md5) \(size)" }
}
