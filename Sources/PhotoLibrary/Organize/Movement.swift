import Checksums
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
  /// The time, in milliseconds since 1970; not before the sequence number of an earlier export, whatever the clock did.
  package var at: Int64

  /// Describes a movement.
  package init(_ subject: Subject, from origin: String?, to destination: String?, at: Int64) {
    (self.subject, self.origin, self.destination, self.at) = (subject, origin, destination, at)
  }
}

extension Movement {
  /// The table of movements. A row that names neither a photo nor a category ends the validity of all rows before it.
  private static let table = "movement"
  private static let isEnd = "md5 IS NULL AND assetPath IS NULL AND origin IS NULL"
  private static let validRows =
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
        at: try row.integer("at", at: 6))
    }
  }

  /// Returns the places of the movements of `sort` among those of `fetchAll`.
  static func fetchPlacesOfSort(_ database: Database) throws -> Set<Int> {
    let isOfSort = try database.rows(
      """
      SELECT changeId IN (SELECT id FROM change WHERE kind = '\(Change.Kind.sort.rawValue)') \(validRows) ORDER BY id
      """, of: table
    ) { try $0.flag("changeId", at: 0) }
    return Set(isOfSort.indices.filter { isOfSort[$0] })
  }

  /// Replaces the movements of a library. Those before stay for an undo.
  static func replaceAll(by movements: [Movement], changeID: String, at: Int64, _ database: Database) throws {
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

extension LibraryEdit {
  /// A movement of a photo or a category of the library.
  package enum Move: Sendable, Equatable {
    /// The photo with this ID moves to the category with this `name`; nil if it is removed.
    case photo(Int64, to: String?)
    /// The category with this ID is merged into that with this `name`; nil if it is removed.
    case category(Int64, to: String?)
  }

  /// Records `moves`, or replaces all movements by `movements`.
  func recordMoves(_ database: Database, _ change: Change.Record) throws {
    guard !moves.isEmpty || movements != nil else { return }
    let date = try Self.date(of: change, database)
    if let movements {
      try Movement.replaceAll(by: movements, changeID: change.id, at: date, database)
    }
    let photo = try database.cachedStatement(
      sql: """
        INSERT INTO movement (changeId, at, md5, size, assetPath, origin, destination)
        SELECT ?, ?, md5, iif(isFromAssets, NULL, fileSize), iif(isFromAssets, path, NULL), category.name, ?
        FROM photo JOIN category ON category.id = categoryId WHERE photo.id = ?
        """)
    let category = try database.cachedStatement(
      sql: """
        INSERT INTO movement (changeId, at, origin, destination) SELECT ?, ?, name, ? FROM category WHERE id = ?
        """)
    for move in moves {
      switch move {
      case .photo(let id, let destination):
        try photo.execute(arguments: [change.id, date, destination, id])
      case .category(let id, let destination):
        try category.execute(arguments: [change.id, date, destination, id])
      }
    }
  }

  /// Records those of `returnedPhotos` whose content was removed before.
  func recordReturns(_ database: Database, _ change: Change.Record) throws {
    guard !returnedPhotos.isEmpty, try database.rowCount(of: "movement") > 0 else { return }
    let date = try Self.date(of: change, database)
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO movement (changeId, at, md5, size, assetPath, destination)
        SELECT ?, ?, photo.md5, iif(isFromAssets, NULL, fileSize), iif(isFromAssets, path, NULL), category.name
        FROM photo JOIN category ON category.id = categoryId
        WHERE photo.id = ? AND (
          EXISTS (SELECT * FROM movement WHERE movement.md5 = photo.md5 AND destination IS NULL)
          OR isFromAssets AND EXISTS (SELECT * FROM movement WHERE assetPath = path AND destination IS NULL))
        """)
    for id in returnedPhotos { try statement.execute(arguments: [change.id, date, id]) }
  }

  /// The time of the movements of a change; not before the sequence number of an earlier export.
  private static func date(of change: Change.Record, _ database: Database) throws -> Int64 {
    max(change.at, try Int64.fetchOne(database, sql: "SELECT MAX(sequence) FROM export") ?? .min)
  }
}

extension LibraryContents {
  /// Returns the `name` for a new category with this displayed name: one that no category has, and to which no photos of a
  /// merged category belong.
  package func freeName(forDisplayName displayName: String) -> String {
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
