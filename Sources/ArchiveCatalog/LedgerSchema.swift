internal import GRDB

/// The tables of the ledger, as migrations.
enum LedgerSchema {
  /// "SMPG" in `PRAGMA application_id`.
  static let applicationID: Int32 = 0x534D_5047

  /// The number in `PRAGMA user_version`: that of the newest migration.
  static let version: Int32 = 1

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 observations, descriptors, runs") { database in
      try database.execute(
        sql: """
          PRAGMA application_id = \(applicationID);
          PRAGMA user_version = \(version);
          -- the number of entries ever made, including deleted ones
          CREATE TABLE position (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL) STRICT;
          INSERT INTO position (id, number) VALUES (1, 0);
          CREATE TABLE observation (
            recorded INTEGER PRIMARY KEY,
            begun INTEGER NOT NULL,
            location TEXT NOT NULL, bytes INTEGER NOT NULL, modifiedAt INTEGER NOT NULL,
            archiveID TEXT,
            event TEXT NOT NULL CHECK (event IN ('verified', 'restored', 'damaged', 'unreachable')),
            detail TEXT,
            at INTEGER NOT NULL, observer TEXT NOT NULL
          ) STRICT;
          CREATE INDEX observationLocation ON observation(location, recorded);
          CREATE TABLE descriptor (
            location TEXT PRIMARY KEY NOT NULL,
            bytes INTEGER NOT NULL, modifiedAt INTEGER NOT NULL,
            format INTEGER NOT NULL, json BLOB NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE run (
            begun INTEGER PRIMARY KEY,
            ended INTEGER,
            kind TEXT NOT NULL CHECK (kind IN ('backup', 'restoreTest')),
            job TEXT NOT NULL,
            libraryPath TEXT NOT NULL, libraryID TEXT,
            startedAt INTEGER NOT NULL, endedAt INTEGER,
            outcome TEXT NOT NULL, hook TEXT,
            record BLOB NOT NULL
          ) STRICT;
          CREATE INDEX runJob ON run(job, begun);
          -- the newest copy that a run found at a destination
          CREATE TABLE copy (
            job TEXT NOT NULL, destination TEXT NOT NULL,
            run INTEGER NOT NULL REFERENCES run(begun),
            record BLOB NOT NULL,
            PRIMARY KEY (job, destination, run)
          ) STRICT, WITHOUT ROWID;
          """)
    }
    return migrator
  }
}
