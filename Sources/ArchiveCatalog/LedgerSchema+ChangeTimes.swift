internal import GRDB

extension LedgerSchema {
  /// Migration 3: the status change time of the observed and described files. It is NULL in earlier rows, which apply to
  /// a file that has not changed since they were recorded.
  static func addStatusChangeTimes(_ database: Database) throws {
    try database.execute(
      sql: """
        PRAGMA user_version = 3;
        ALTER TABLE observation ADD COLUMN changedAt INTEGER;
        ALTER TABLE descriptor ADD COLUMN changedAt INTEGER;
        """)
  }
}
