import Checksums
import Foundation
internal import GRDB

/// A value that is stored as a row of a table. A public type conforms to this protocol rather than to those of GRDB:
/// its conformance to a public protocol would be public, too.
protocol StoredRow {
  static var databaseTableName: String { get }

  /// Reads a row.
  init(row: Row)

  /// Fills the columns of a row.
  func encode(to container: inout PersistenceContainer)
}

extension StoredRow {
  /// Returns the values of all rows that a query selects.
  ///
  /// - Parameter count: the expected number of rows; an array that grows takes half as much memory again.
  static func fetchAll(
    _ database: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    expecting count: Int = 0
  ) throws -> [Self] {
    var values: [Self] = []
    values.reserveCapacity(count)
    let rows = try Row.fetchCursor(database, sql: sql, arguments: arguments)
    while let row = try rows.next() { values.append(Self(row: row)) }
    return values
  }

  /// Returns the value of the first row that a query selects; nil if it selects none.
  static func fetchOne(
    _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
  ) throws -> Self? {
    try Row.fetchOne(database, sql: sql, arguments: arguments).map { Self(row: $0) }
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

  /// Reads a column; nil for NULL and for anything but sixteen bytes.
  init?(blob: Data?) {
    guard let blob, let digest = MD5Digest(bytes: blob) else { return nil }
    self = digest
  }
}
