package import Foundation
package import GRDB

/// Reads the columns of one row of an untrusted table. A value of another type or out of range is an error that names
/// the row and the column: `photo 12: md5 has 3 bytes`. No value ends the process.
///
/// SQLite checks the types of a `STRICT` table only when it writes a row; a corrupt or forged file may have any value.
package struct RowReader {
  private let row: Row
  private let table: String
  private let key: Int

  /// - Parameters:
  ///   - table: the name of the table in messages.
  ///   - key: the position of the column that identifies the row in messages.
  package init(_ row: Row, of table: String, key: Int = 0) {
    (self.row, self.table, self.key) = (row, table, key)
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
    switch value(column, position).storage {
    case .null: return nil
    case .int64(let number):
      guard range.contains(number) else { throw fault("\(column) is \(number), which is out of range") }
      return number
    default: throw fault("\(column) is not an integer")
    }
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
    switch value(column, position).storage {
    case .null: return nil
    case .string(let text): return text
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
  ) throws(DatabaseError) -> Data {
    guard let value = try optionalBytes(column, at: position, count: count) else { throw isNull(column) }
    return value
  }

  /// Reads bytes or NULL.
  package func optionalBytes(
    _ column: String, at position: Int? = nil, count: ClosedRange<Int> = 0 ... .max
  ) throws(DatabaseError) -> Data? {
    switch value(column, position).storage {
    case .null: return nil
    case .blob(let data):
      guard count.contains(data.count) else { throw fault("\(column) has \(data.count) bytes") }
      return data
    default: throw fault("\(column) is not a blob")
    }
  }

  /// Passes bytes or nil for NULL, without copying them. Another type than a blob may arrive as any bytes.
  package func withBytes<Result>(
    at position: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
  ) throws -> Result {
    try row.withUnsafeData(atIndex: position) { data in
      guard let data else { return try body(nil) }
      return try data.withUnsafeBytes(body)
    }
  }

  /// Returns the error for this row.
  package func fault(_ reason: String) -> DatabaseError {
    let name = key < row.count ? "\((row[key] as DatabaseValue).label)" : ""
    return DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(table) \(name): \(reason)")
  }

  private func isNull(_ column: String) -> DatabaseError { fault("\(column) is NULL") }

  private func value(_ column: String, _ position: Int?) -> DatabaseValue {
    if let position { return row[position] }
    return row[column]?.databaseValue ?? .null
  }
}

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
