package import Foundation
package import GRDB
internal import GRDBSQLite
import Operations

/// Reads the columns of the current row of a query on an untrusted table. A value of another type or out of range is an
/// error that names the row and the column: `photo 12: md5 has 3 bytes`. No value ends the process.
///
/// SQLite checks the types of a `STRICT` table only when it writes a row; a corrupt or forged file may have any value.
package struct RowReader {
  private let statement: Statement
  private let table: String
  private let key: Int

  /// - Parameters:
  ///   - rows: the rows of the query. The reader is valid until the next row is requested.
  ///   - table: the name of the table in messages.
  ///   - key: the position of the column that identifies the row in messages.
  package init(_ rows: RowCursor, of table: String, key: Int = 0) {
    // the values that a `Row` returns take twice as long
    (statement, self.table, self.key) = (rows._statement, table, key)
  }

  /// Reads an integer. `position` saves the search for the name, which takes most of the time of reading a large table.
  package func integer(
    _ column: String, at position: Int? = nil, in range: ClosedRange<Int64> = .min ... .max
  ) throws(DatabaseError) -> Int64 {
    guard let value = try optionalInteger(column, at: position, in: range) else { throw isNull(column) }
    return value
  }

  /// Reads an integer or NULL.
  package func optionalInteger(
    _ column: String, at position: Int? = nil, in range: ClosedRange<Int64> = .min ... .max
  ) throws(DatabaseError) -> Int64? {
    let index = index(column, position)
    switch sqlite3_column_type(row, index) {
    case SQLITE_NULL: return nil
    case SQLITE_INTEGER:
      let number = sqlite3_column_int64(row, index)
      guard range.contains(number) else { throw fault("\(column) is \(number), which is out of range") }
      return number
    default: throw fault("\(column) is not an integer")
    }
  }

  /// Reads a time.
  package func time(_ column: String, at position: Int? = nil) throws(DatabaseError) -> Timestamp {
    Timestamp(rawValue: try integer(column, at: position))
  }

  /// Reads a number of things or bytes, which is not negative.
  package func count(_ column: String, at position: Int? = nil) throws(DatabaseError) -> Int {
    Int(try integer(column, at: position, in: 0 ... .max))
  }

  /// Reads a number of things or bytes, or NULL.
  package func optionalCount(_ column: String, at position: Int? = nil) throws(DatabaseError) -> Int? {
    try optionalInteger(column, at: position, in: 0 ... .max).map { Int($0) }
  }

  /// Reads 0 or 1.
  package func flag(_ column: String, at position: Int? = nil) throws(DatabaseError) -> Bool {
    try integer(column, at: position, in: 0...1) == 1
  }

  /// Reads 0, 1 or NULL.
  package func optionalFlag(_ column: String, at position: Int? = nil) throws(DatabaseError) -> Bool? {
    try optionalInteger(column, at: position, in: 0...1).map { $0 == 1 }
  }

  /// Reads a text.
  package func text(_ column: String, at position: Int? = nil) throws(DatabaseError) -> String {
    guard let value = try optionalText(column, at: position) else { throw isNull(column) }
    return value
  }

  /// Reads a text or NULL.
  package func optionalText(_ column: String, at position: Int? = nil) throws(DatabaseError) -> String? {
    let index = index(column, position)
    switch sqlite3_column_type(row, index) {
    case SQLITE_NULL: return nil
    case SQLITE_TEXT:
      guard let text = sqlite3_column_text(row, index) else { throw fault("\(column) cannot be read") }
      return String(cString: text)
    default: throw fault("\(column) is not a text")
    }
  }

  /// Reads a text that stands for a case.
  package func enumeration<Value: RawRepresentable<String>>(
    _ column: String, at position: Int? = nil, as: Value.Type = Value.self
  ) throws(DatabaseError) -> Value {
    let text = try text(column, at: position)
    guard let value = Value(rawValue: text) else { throw fault("\(column) is “\(text)”, which is unknown") }
    return value
  }

  /// Reads bytes.
  package func bytes(
    _ column: String, at position: Int? = nil, count: ClosedRange<Int> = 0 ... .max
  ) throws -> Data {
    guard let value = try optionalBytes(column, at: position, count: count) else { throw isNull(column) }
    return value
  }

  /// Reads bytes or NULL.
  package func optionalBytes(
    _ column: String, at position: Int? = nil, count: ClosedRange<Int> = 0 ... .max
  ) throws -> Data? {
    try withBytes(column, at: position, count: count) { $0.map { Data($0) } }
  }

  /// Passes bytes or nil for NULL, without copying them.
  package func withBytes<Result>(
    _ column: String, at position: Int? = nil, count: ClosedRange<Int> = 0 ... .max,
    _ body: (UnsafeRawBufferPointer?) throws -> Result
  ) throws -> Result {
    let index = index(column, position)
    switch sqlite3_column_type(row, index) {
    case SQLITE_NULL: return try body(nil)
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(row, index)
      let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, index)))
      guard count.contains(bytes.count) else { throw fault("\(column) has \(bytes.count) bytes") }
      return try body(bytes)
    default: throw fault("\(column) is not a blob")
    }
  }

  /// Returns the error for this row.
  package func fault(_ reason: String) -> DatabaseError {
    let isKnown = key < statement.columnCount
    let name = isKnown ? DatabaseValue(sqliteStatement: row, index: CInt(key)).label : ""
    return DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(table) \(name): \(reason)")
  }

  private func isNull(_ column: String) -> DatabaseError { fault("\(column) is NULL") }

  private var row: SQLiteStatement { statement.sqliteStatement }

  /// Returns the index of a column. SQLite takes a column that does not exist for NULL.
  private func index(_ column: String, _ position: Int?) -> CInt {
    CInt(position ?? statement.columnNames.firstIndex(of: column) ?? statement.columnCount)
  }
}

/// A type whose values are stored in a column.
package protocol StoredValue: DatabaseValueConvertible {}

extension Timestamp: StoredValue {}

extension DatabaseError {
  /// Makes the error for a value that a query of one column does not expect; nil for any other error.
  package init?(decoding error: any Error) {
    guard let error = error as? RowDecodingError else { return nil }
    // leaves out the values of the row
    let parts = "\(error)".split(separator: "`")
    let value = parts.first?.split(separator: ", column index:").first ?? ""
    let statement = parts.count > 1 ? ", in the statement \(parts[1])" : ""
    self.init(resultCode: .SQLITE_CORRUPT, message: "\(value)\(statement)")
  }
}

extension DatabaseValue {
  /// The value in a message.
  fileprivate var label: String {
    switch storage {
    case .null: "NULL"
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): String(text.prefix(100))
    case .blob(let data): "of \(data.count) bytes"
    }
  }
}
