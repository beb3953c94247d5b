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
    let digest = Self.digest(found)
    // a migration may leave the schema as it is
    let versions = digests.indices.filter { digests[$0] == digest }
    if let newest = versions.last {
      let (applied, all) = (try applied(in: database), migrator().migrations)
      guard let version = versions.first(where: { applied == Set(all[...$0]) }) else {
        throw Self.fault("grdb_migrations has \(applied.count) of the \(newest + 1) migrations of the schema")
      }
      return version + 1
    }
    try explain(found, in: database)
    return 0
  }

  /// Returns the tables that have the definition of some version. In a damaged database, a table may have lost a column or
  /// a constraint. Blocks.
  ///
  /// - Throws: `DatabaseError` if the schema cannot be read.
  package func knownTables(in database: Database) throws -> Set<String> {
    let migrator = migrator()
    let versions = try DatabaseQueue()
    var known: [Object] = []
    for migration in migrator.migrations {
      try migrator.migrate(versions, upTo: migration)
      known += try versions.read(Self.objects)
    }
    return Set(try Self.objects(of: database).filter { $0.type == "table" && known.contains($0) }.map(\.name))
  }

  /// Returns true if the database has a migration that this version does not know. Blocks.
  package func isSuperseded(in database: Database) throws -> Bool {
    try !applied(in: database).isSubset(of: migrator().migrations)
  }

  private func applied(in database: Database) throws -> Set<String> {
    guard try database.tableExists(Self.migrations) else { return [] }
    return try Set(
      database.rows("SELECT identifier FROM \(Self.migrations)", of: Self.migrations) { row in
        try row.text("identifier", at: 0)
      })
  }

  /// Throws if an object is missing, changed or unknown. Returns if the schema has only the table of
  /// migrations.
  private func explain(_ found: [Object], in database: Database) throws {
    let names = Set(found.map(\.name))
    let applied = try applied(in: database)
    let known = migrator().migrations.filter(applied.contains)
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

  /// The tables in which SQLite keeps statistics.
  private static let statistics = [
    ("sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    ("sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
  ].map { name, sql in Object(type: "table", name: name, table: name, tokens: SQLTokens(sql).tokens) }

  /// Reads the objects, except the tables in which SQLite keeps statistics.
  private static func objects(of database: Database) throws -> [Object] {
    try database.rows(
      "SELECT name, type, tbl_name, sql FROM sqlite_schema ORDER BY name, type", of: "sqlite_schema"
    ) { row in
      Object(
        type: try row.text("type", at: 1), name: try row.text("name", at: 0),
        table: try row.text("tbl_name", at: 2),
        tokens: SQLTokens(try row.optionalText("sql", at: 3) ?? "").tokens)
    }.filter { !statistics.contains($0) }
  }
}
