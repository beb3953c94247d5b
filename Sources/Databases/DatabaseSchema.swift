import Crypto
package import GRDB

/// The schema that this program's migrations produce. A database with any other one is refused: with a trigger, a view
/// or another index, a table may do something else than the statements of this program say.
///
/// The schemas of all versions are known by their digests, so that a database is checked without running the migrations.
package struct DatabaseSchema: Sendable {
  private let migrator: @Sendable () -> DatabaseMigrator
  private let digests: [String]

  /// - Parameters:
  ///   - digests: `digest(_:)` after each migration, from the first to the last.
  ///   - migrator: the migrations.
  package init(digests: [String], _ migrator: @escaping @Sendable () -> DatabaseMigrator) {
    (self.digests, self.migrator) = (digests, migrator)
  }

  /// Throws if the schema is not the one that the database's version has. Blocks.
  ///
  /// - Returns: the number of migrations that the database has.
  /// - Throws: `DatabaseError` with the code `SQLITE_CORRUPT` and a message that names the table, index, trigger or view;
  ///   what SQLite throws.
  @discardableResult
  package func check(_ database: Database) throws -> Int {
    let found = try Self.objects(of: database)
    if let version = digests.firstIndex(of: Self.digest(found)) {
      let count = try migrator().appliedMigrations(database).count
      guard count == version + 1 else {
        throw Self.fault("grdb_migrations has \(count) of the \(version + 1) migrations of the schema")
      }
      return count
    }
    try explain(found, in: database)
    return 0
  }

  /// Throws if an object is missing, changed or unknown. Returns if there is none but the table of migrations.
  private func explain(_ found: [Object], in database: Database) throws {
    let names = Set(found.map(\.name))
    let known = names.contains(Self.migrations) ? try migrator().appliedMigrations(database) : []
    let expected = try DatabaseQueue()
    if let last = known.last {
      try migrator().migrate(expected, upTo: last)
    } else if names.contains(Self.migrations) {
      try migrator().migrate(expected, upTo: migrator().migrations[0])
    }
    var objects = try expected.read(Self.objects)
    if known.isEmpty { objects.removeAll { $0.table != Self.migrations } }
    for object in found {
      guard let own = objects.first(where: { $0.name == object.name }) else {
        throw Self.fault("\(object) is not part of its schema")
      }
      guard own == object else { throw Self.fault("\(object) was changed") }
    }
    for object in objects where !names.contains(object.name) { throw Self.fault("\(object) is missing") }
  }

  private static let migrations = "grdb_migrations"

  private static func fault(_ reason: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: reason)
  }

  /// The digest of a schema: of the types, names and tokens of its objects.
  package static func digest(_ database: Database) throws -> String { digest(try objects(of: database)) }

  private static func digest(_ objects: [Object]) -> String {
    var hash = SHA256()
    for object in objects {
      for text in [[UInt8](object.type.utf8), [UInt8](object.name.utf8), [UInt8](object.table.utf8)]
        + object.tokens
      {
        withUnsafeBytes(of: UInt64(text.count).littleEndian) { hash.update(bufferPointer: $0) }
        hash.update(data: text)
      }
      hash.update(data: [0xFF])
    }
    return hash.finalize().map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }

  /// A table, index, trigger or view.
  private struct Object: Equatable, CustomStringConvertible {
    let type: String
    let name: String
    let table: String
    let tokens: [[UInt8]]

    var description: String { "the \(type) “\(name.prefix(100))”" }
  }

  /// Reads the objects, except the tables in which SQLite keeps statistics.
  private static func objects(of database: Database) throws -> [Object] {
    let own: Set<String> = ["sqlite_stat1", "sqlite_stat4", "sqlite_sequence"]
    var objects: [Object] = []
    let rows = try Row.fetchCursor(
      database, sql: "SELECT name, type, tbl_name, sql FROM sqlite_schema ORDER BY name, type")
    while let row = try rows.next() {
      let reader = RowReader(row, of: "sqlite_schema")
      let name = try reader.text("name", at: 0)
      if own.contains(name) { continue }
      let sql = try reader.optionalText("sql", at: 3) ?? ""
      objects.append(
        Object(
          type: try reader.text("type", at: 1), name: name, table: try reader.text("tbl_name", at: 2),
          tokens: SQLTokens(sql).tokens))
    }
    return objects
  }
}
