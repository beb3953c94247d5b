package import GRDB
internal import GRDBSQLite

/// Executes one statement for many rows. Binds values to the parameters by position: the arrays of arguments that GRDB
/// takes for each row cost more time than SQLite needs to insert it.
package struct RowWriter {
  private let database: Database
  private let statement: Statement

  /// Prepares a statement that returns no rows.
  ///
  /// - Throws: `DatabaseError`.
  package init(_ sql: String, _ database: Database) throws {
    self.database = database
    statement = try database.cachedStatement(sql: sql)
  }

  /// Executes the statement with the values of one row. Blocks.
  ///
  /// - Parameter bind: binds a value to each parameter, in order.
  /// - Throws: `DatabaseError`.
  package func write(_ bind: (inout Values) -> Void) throws {
    var values = Values(statement: statement.sqliteStatement)
    bind(&values)
    var code = values.code
    if code == SQLITE_OK {
      code = sqlite3_step(statement.sqliteStatement)
      if code == SQLITE_DONE { code = SQLITE_OK }
    }
    // after a failure, a reset and the next statements change the message
    let message = code == SQLITE_OK ? nil : database.lastErrorMessage
    sqlite3_reset(statement.sqliteStatement)
    sqlite3_clear_bindings(statement.sqliteStatement)
    guard code == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }
  }

  /// The parameters of a statement. Each call binds a value to the next one.
  package struct Values {
    fileprivate let statement: SQLiteStatement
    private var position: CInt = 0
    /// The first result that is not `SQLITE_OK`.
    fileprivate private(set) var code = SQLITE_OK

    fileprivate init(statement: SQLiteStatement) { self.statement = statement }

    /// Binds an integer; nil is NULL.
    package mutating func append(_ value: Int64?) {
      let position = next()
      note(
        value.map { sqlite3_bind_int64(statement, position, $0) } ?? sqlite3_bind_null(statement, position))
    }

    /// Binds an integer.
    package mutating func append(_ value: Int) { append(Int64(value)) }

    /// Binds 0 or 1; nil is NULL.
    package mutating func append(_ value: Bool?) { append(value.map { $0 ? Int64(1) : 0 }) }

    /// Binds a text.
    package mutating func append(_ value: String) {
      let position = next()
      var value = value
      let code = value.withUTF8 { text in
        text.withMemoryRebound(to: CChar.self) { text in
          // the pointer of an empty text may be nil, which would be NULL
          guard let start = text.baseAddress else {
            return sqlite3_bind_text(statement, position, "", 0, Self.copied)
          }
          return sqlite3_bind_text64(
            statement, position, start, UInt64(text.count), Self.copied, UInt8(SQLITE_UTF8))
        }
      }
      note(code)
    }

    /// Binds a blob; nil is NULL.
    package mutating func append(_ value: [UInt8]?) {
      let position = next()
      guard let value else { return note(sqlite3_bind_null(statement, position)) }
      note(sqlite3_bind_blob64(statement, position, value, UInt64(value.count), Self.copied))
    }

    /// `SQLITE_TRANSIENT`: SQLite copies the value.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private mutating func next() -> CInt {
      position += 1
      return position
    }

    private mutating func note(_ result: CInt) {
      if code == SQLITE_OK { code = result }
    }
  }
}
