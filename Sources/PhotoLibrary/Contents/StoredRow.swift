import Checksums
internal import Databases
import Foundation
internal import GRDB

/// A value that is stored as a row of a table. A public type conforms to this protocol rather than to those of GRDB:
/// its conformance to a public protocol would be public, too.
protocol StoredRow {
  static var databaseTableName: String { get }

  /// Reads a row, which may have any values.
  ///
  /// - Throws: `DatabaseError` that names the row and the column.
  init(_ row: RowReader) throws

  /// Fills the columns of a row.
  func encode(to container: inout PersistenceContainer)
}

extension StoredRow {
  /// Returns the values of all rows that a query selects.
  ///
  /// - Parameters:
  ///   - table: the table in messages.
  ///   - count: the expected number of rows; an array that grows takes half as much memory again.
  static func fetchAll(
    _ database: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    of table: String = databaseTableName, expecting count: Int = 0
  ) throws -> [Self] {
    try database.rows(sql, arguments, of: table, expecting: count) { try Self($0) }
  }

  /// Returns the value of the first row that a query selects; nil if it selects none.
  static func fetchOne(
    _ database: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    of table: String = databaseTableName
  ) throws -> Self? {
    try database.firstRow(sql, arguments, of: table) { try Self($0) }
  }

  /// Inserts a row.
  func insert(_ database: Database) throws { try PersistedRow(value: self).insert(database) }

  /// Updates the row with the same primary key.
  func update(_ database: Database) throws { try PersistedRow(value: self).update(database) }
}

/// Hands a value to GRDB.
private struct PersistedRow<Value: StoredRow>: PersistableRecord {
  let value: Value

  static var databaseTableName: String { Value.databaseTableName }

  func encode(to container: inout PersistenceContainer) { value.encode(to: &container) }
}

extension MD5Digest {
  /// The sixteen bytes that a column holds.
  var blob: Data { Data(bytes) }

}

extension RowReader {
  /// Reads an MD5.
  func md5(_ column: String, at position: Int? = nil) throws -> MD5Digest {
    guard let digest = try optionalMD5(column, at: position) else { throw fault("\(column) is NULL") }
    return digest
  }

  /// Reads an MD5 or NULL.
  func optionalMD5(_ column: String, at position: Int? = nil) throws -> MD5Digest? {
    try withBytes(column, at: position, count: 16...16) { $0.flatMap { MD5Digest(bytes: $0) } }
  }
}
