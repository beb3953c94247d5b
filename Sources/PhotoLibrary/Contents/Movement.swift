internal import Databases
import Foundation
internal import GRDB

/// A photo, or all photos of a category, that a person moved to another category, removed, or brought back.
///
/// A library keeps its movements in the order in which they were made. An import repeats them for the photos of its
/// backup: it looks for each photo in its present category, and does not add a removed photo again.
package struct Movement: Sendable, Equatable {
  /// What moved.
  package enum Subject: Sendable, Hashable {
    /// A photo in one category.
    case photo(PhotoIdentity)
    /// The category `origin`, also with the photos that later backups have in it.
    case category
  }

  /// What moved.
  package var subject: Subject
  /// The `name` of the category that it left; nil for a photo that had been removed.
  package var origin: String?
  /// The `name` of the category that it is in since; nil if it was removed.
  package var destination: String?
  /// The time; not before the sequence number of an earlier export, whatever the clock did.
  package var at: Timestamp

  /// Describes a movement.
  package init(_ subject: Subject, from origin: String?, to destination: String?, at: Timestamp) {
    (self.subject, self.origin, self.destination, self.at) = (subject, origin, destination, at)
  }
}

extension Movement {
  /// The table of movements. A row that names neither a photo nor a category ends the validity of all rows before it.
  static let table = "movement"
  private static let isEnd = "md5 IS NULL AND assetPath IS NULL AND origin IS NULL"
  static let validRows =
    "FROM \(table) WHERE id > (SELECT ifnull(max(id), 0) FROM \(table) WHERE \(isEnd))"

  /// Reads the valid movements, oldest first.
  static func fetchAll(_ database: Database) throws -> [Movement] {
    try database.rows(
      "SELECT id, md5, size, assetPath, origin, destination, at \(validRows) ORDER BY id", of: table
    ) { row in
      let subject: Subject
      if let md5 = try row.optionalMD5("md5", at: 1) {
        subject = .photo(.file(FileContent(md5: md5, size: try row.count("size", at: 2))))
      } else if let path = try row.optionalText("assetPath", at: 3) {
        subject = .photo(.asset(path))
      } else {
        subject = .category
      }
      return Movement(
        subject, from: try row.optionalText("origin", at: 4), to: try row.optionalText("destination", at: 5),
        at: try row.time("at", at: 6))
    }
  }

  /// Replaces the movements of a library. Those before stay for an undo.
  static func replaceAll(by movements: [Self], changeID: String, at: Timestamp, _ database: Database) throws {
    try database.execute(
      sql: "INSERT INTO \(table) (changeId, at) VALUES (?, ?)", arguments: [changeID, at])
    try insert(movements, database) { _ in changeID }
  }

  /// Inserts movements behind all others.
  ///
  /// - Parameter changeID: the ID of the change of the movement at a place in `movements`.
  static func insert(
    _ movements: [Movement], _ database: Database, changeID: (_ place: Int) -> String
  ) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO \(table) (changeId, at, md5, size, assetPath, origin, destination)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
    for (place, movement) in movements.enumerated() {
      var values: (md5: Data?, size: Int?, path: String?)
      switch movement.subject {
      case .photo(.file(let content)): values = (content.md5.blob, content.size, nil)
      case .photo(.asset(let path)): values.path = path
      case .category: break
      }
      try statement.execute(
        arguments: [
          changeID(place), movement.at, values.md5, values.size, values.path, movement.origin,
          movement.destination,
        ])
    }
  }

  /// Deletes the movements of an undone change.
  static func delete(changeID: String, _ database: Database) throws {
    try database.execute(sql: "DELETE FROM \(table) WHERE changeId = ?", arguments: [changeID])
  }
}

extension LibraryContents {
  /// Returns the `name` for a new category with this displayed name: one that no category has, and to which no photos of a
  /// merged category belong.
  func freeName(forDisplayName displayName: String) -> String {
    var taken = Set(categories.map(\.name))
    for movement in movements where movement.subject == .category && movement.destination != nil {
      if let name = movement.origin { taken.insert(name) }
    }
    let name = Category.name(forDisplayName: displayName)
    guard taken.contains(name) else { return name }
    var number = 2
    while taken.contains("\(name)_\(number)") { number += 1 }
    return "\(name)_\(number)"
  }
}
