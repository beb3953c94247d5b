internal import GRDB

extension LedgerSchema {
  /// Migration 4: the contents of files in inboxes, and the backups that were imported from there.
  static func addInboxes(_ database: Database) throws {
    try database.execute(
      sql: """
        PRAGMA user_version = 4;
        -- the content of one version of a file
        CREATE TABLE inboxFile (
          location TEXT PRIMARY KEY NOT NULL,
          bytes INTEGER NOT NULL, modifiedAt INTEGER NOT NULL, changedAt INTEGER NOT NULL,
          -- SHA-256
          content BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE importedBackup (
          library TEXT NOT NULL,
          content BLOB NOT NULL,
          at INTEGER NOT NULL,
          photos INTEGER NOT NULL,
          -- NULL if the backup is not damaged
          problem TEXT,
          PRIMARY KEY (library, content)
        ) STRICT, WITHOUT ROWID;
        """)
  }
}
