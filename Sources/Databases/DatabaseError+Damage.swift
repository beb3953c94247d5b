package import GRDB

extension DatabaseError {
  /// The errors of the system, of locks and of cancellations. They tell nothing of what the database contains.
  private static let environmental: [ResultCode] = [
    .SQLITE_PERM, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_NOMEM, .SQLITE_READONLY, .SQLITE_INTERRUPT,
    .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_PROTOCOL, .SQLITE_AUTH, .SQLITE_NOLFS,
  ]

  /// True if damage of the database can be the cause of an error of reading. SQLite reports some damage, for example a
  /// header of another format, with other codes than `SQLITE_CORRUPT`.
  package var mayBeDamage: Bool { !Self.environmental.contains(resultCode.primaryResultCode) }

  /// Makes a `DatabaseError` of an error that a query threw, also if a value has another type; nil for other errors.
  package init?(ofQuery error: any Error) {
    if let error = error as? DatabaseError {
      self = error
    } else {
      self.init(decoding: error)
    }
  }
  /// SQLite's message without the statement.
  package var reason: String { message ?? description }
}
