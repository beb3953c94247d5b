package import GRDB

/// The schema that this program gives a database. Any other one is refused: with a trigger, a view or another index, a
/// table may do something else than the statements of this program say.
///
/// Schemas are compared as text, since SQLite keeps the text of each statement. So any change of a statement, even of a
/// space, makes another schema, which needs another version.
package struct DatabaseSchema: Sendable {
  /// The number in `PRAGMA application_id`, which tells file(1) and this program what the database is.
  package let applicationID: Int32
  /// The number in `PRAGMA user_version`. If a database has another schema, it tells whose.
  package let version: Int32
  /// The statements that create the schema in an empty database.
  package let statements: String
  /// The objects of the schema, which are made once for each process in a database in memory.
  private let objects: Result<[Object], any Error>

  /// - Parameter statements: create the tables and indices of an empty database, and insert the first rows.
  package init(applicationID: Int32, version: Int32, statements: String) {
    (self.applicationID, self.version, self.statements) = (applicationID, version, statements)
    objects = Result {
      let database = try DatabaseQueue()
      try database.write { try $0.execute(sql: statements) }
      return try database.read(Self.objects)
    }
  }

  /// An earlier or later version of this program wrote a database.
  package enum OtherVersion: Error {
    case older
    case newer
  }

  /// Returns true if a database has no table, index, trigger or view yet. Blocks.
  package static func isEmpty(_ database: Database) throws -> Bool { try objects(of: database).isEmpty }

  /// Creates the tables and indices if the database is empty. Another process may do the same at the same time. Blocks.
  package func createIfEmpty(_ database: DatabaseQueue) throws {
    guard try database.read(Self.isEmpty) else { return }
    try database.write { if try Self.isEmpty($0) { try create(in: $0) } }
  }

  /// Creates the tables and indices in an empty database. The caller has begun a transaction. Blocks.
  package func create(in database: Database) throws {
    try database.execute(sql: statements)
    try setNumbers(database)
  }

  /// Throws if a database has another schema. The schema decides, not the version: damage may have changed the number.
  /// Blocks.
  ///
  /// - Throws: `OtherVersion` if the number tells another version; else `DatabaseError` with the code `SQLITE_CORRUPT`
  ///   and a message that names the table, index, trigger or view; what SQLite throws.
  package func check(_ database: Database) throws {
    guard let difference = try difference(in: database) else { return }
    let found = try numbers(database)
    if found.applicationID == applicationID, found.version != version {
      throw found.version < version ? OtherVersion.older : .newer
    }
    throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: difference)
  }

  /// Names an object that a database has in addition, with another definition, or not; returns nil if the database has
  /// this schema. Blocks.
  package func difference(in database: Database) throws -> String? {
    var expected = Dictionary(uniqueKeysWithValues: try objects.get().map { ($0.name, $0) })
    for object in try Self.objects(of: database) {
      guard let own = expected.removeValue(forKey: object.name) else {
        return "\(object) is not part of its schema"
      }
      guard own == object else { return "\(object) was changed" }
    }
    // with a table, its indexes are missing
    let missing = expected.values.filter { $0.type == Array("table".utf8) }
    return (missing.isEmpty ? Array(expected.values) : missing).map { "\($0) is missing" }.min()
  }

  /// Returns the tables that have the definition of this schema. In a damaged database, a table may have lost a column or
  /// a constraint. Blocks.
  package func intactTables(in database: Database) throws -> Set<String> {
    let own = try objects.get()
    let intact = try Self.objects(of: database).filter { $0.type == Array("table".utf8) && own.contains($0) }
    return Set(intact.map { String(decoding: $0.name, as: UTF8.self) })
  }

  /// Sets the two numbers of a database with this schema, if damage has changed them. Blocks.
  package func repairNumbers(of database: DatabaseQueue) throws {
    guard try database.read(numbers) != (applicationID, version) else { return }
    try database.write(setNumbers)
  }

  private func setNumbers(_ database: Database) throws {
    try database.execute(
      sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
  }

  private func numbers(_ database: Database) throws -> (applicationID: Int32, version: Int32) {
    (
      try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
      try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    )
  }

  /// A table, index, trigger or view. Its texts are bytes: Swift takes different characters for equal, such as K and the
  /// Kelvin sign, which SQLite does not.
  private struct Object: Equatable, CustomStringConvertible {
    let type: [UInt8]
    let name: [UInt8]
    let table: [UInt8]
    /// Nil for the index of a constraint.
    let statement: [UInt8]?

    var description: String {
      "the \(String(decoding: type, as: UTF8.self)) “\(String(decoding: name, as: UTF8.self).prefix(100))”"
    }
  }

  /// The tables in which SQLite keeps statistics.
  private static let statistics = [
    ("sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    ("sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
  ].map { name, statement in
    Object(
      type: Array("table".utf8), name: Array(name.utf8), table: Array(name.utf8),
      statement: Array(statement.utf8))
  }

  /// Reads the objects, except the tables in which SQLite keeps statistics.
  private static func objects(of database: Database) throws -> [Object] {
    try database.rows(
      "SELECT name, type, tbl_name, sql FROM sqlite_schema ORDER BY name, type", of: "sqlite_schema"
    ) { row in
      Object(
        type: Array(try row.text("type", at: 1).utf8), name: Array(try row.text("name", at: 0).utf8),
        table: Array(try row.text("tbl_name", at: 2).utf8),
        statement: try row.optionalText("sql", at: 3).map { Array($0.utf8) })
    }.filter { !statistics.contains($0) }
  }
}
