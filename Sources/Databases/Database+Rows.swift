package import GRDB
import Operations

extension Database {
  /// Reads all rows that a query selects. A value of another type, and more rows than the file has space for, are errors
  /// that name the table. Blocks.
  ///
  /// - Parameters:
  ///   - table: the name of the table in messages.
  ///   - key: the position of the column that identifies a row in messages.
  ///   - count: the expected number of rows; an array that grows takes half as much memory again.
  /// - Throws: `DatabaseError`; what `read` throws.
  package func rows<Value>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments(), of table: String, key: Int = 0,
    expecting count: Int = 0, _ read: (RowReader) throws -> Value
  ) throws -> [Value] {
    var limit = try RowLimit(self)
    var values: [Value] = []
    values.reserveCapacity(limit.capacity(for: count))
    let rows = try Row.fetchCursor(self, sql: sql, arguments: arguments)
    let reader = RowReader(rows, of: table, key: key)
    while try rows.next() != nil {
      try limit.count(reader)
      values.append(try read(reader))
    }
    return values
  }

  /// Reads the first row that a query selects; returns nil if it selects none. Blocks.
  ///
  /// - Parameter table: the name of the table in messages.
  /// - Throws: `DatabaseError`; what `read` throws.
  package func firstRow<Value>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments(), of table: String,
    _ read: (RowReader) throws -> Value
  ) throws -> Value? {
    let rows = try Row.fetchCursor(self, sql: sql, arguments: arguments)
    return try rows.next() == nil ? nil : read(RowReader(rows, of: table))
  }

  /// Counts the rows of a table. Blocks.
  ///
  /// - Throws: `DatabaseError` if there are more rows than the file has space for.
  package func rowCount(of table: String) throws -> Int {
    let limit = try RowLimit(self)
    // a count of the whole table would be one step of SQLite, which no cancellation interrupts
    let sql = "SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT \(limit.all + 1))"
    let count = try Int.fetchOne(self, sql: sql) ?? 0
    try limit.check(count, of: table)
    return count
  }
}

/// The greatest number of rows that a query of one table can have. In a forged file, all entries of a tree can refer to
/// the same page; a file of a few pages then has billions of rows, and no memory has space for them.
package struct RowLimit {
  /// No table has rows with fewer bytes, including their keys.
  private static let leastBytes = 16
  /// No library of a million photos is greater. A sparse file can be, and takes no space on a disk.
  private static let mostBytes = 1 << 30

  /// The greatest number of rows.
  package let all: Int
  private var left: Int

  /// Takes the limit from the size of the database. Blocks.
  package init(_ database: Database) throws {
    let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
    let size = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
    all = min(pages.saturated(times: size), Self.mostBytes) / Self.leastBytes
    left = all
  }

  /// Returns the space to reserve for an expected number of rows.
  package func capacity(for count: Int) -> Int { max(0, min(count, all)) }

  /// Counts a row.
  ///
  /// - Throws: `DatabaseError` if there are more rows than the database has space for.
  package mutating func count(_ row: RowReader) throws {
    guard left > 0 else { throw row.fault(Self.reason) }
    left -= 1
  }

  /// Checks the number of rows of a table.
  ///
  /// - Throws: `DatabaseError` if there are more rows than the database has space for.
  package func check(_ count: Int, of table: String) throws {
    guard count <= all else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(table): \(Self.reason)")
    }
  }

  private static let reason = "there are more rows than the database has space for"
}
