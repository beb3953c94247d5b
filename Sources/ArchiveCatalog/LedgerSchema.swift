internal import Databases
internal import GRDB

/// The tables of the ledger, as migrations.
enum LedgerSchema {
  /// "SMPG" in `PRAGMA application_id`.
  static let applicationID: Int32 = 0x534D_5047

  /// The number in `PRAGMA user_version`: that of the newest migration.
  static let version: Int32 = 4

  /// The digests of the schemas of all versions. A released digest is never changed.
  static let digests = [
    "0f1efde68c347a5a46ee96846fbaefc8a5a1418f624985e454cb5b29cea909fd",
    "ecaf0c23c5d1254cd2be48ed3ec75369c02873f562563bf8e610393e2e927926",
    "0db4bb313feb04f50700684f29ebe3c68b892c37da65adc2b9bab6299a96af0e",
    "ae14636e4904d2ecb721a05df8e0fd02ed3af80bd718af5bf065dd30485cf523",
  ]

  /// The schemas of all versions.
  static let known = DatabaseSchema(digests: digests) { migrator }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 observations, descriptors, runs") { database in
      try database.execute(
        sql: """
          PRAGMA application_id = \(applicationID);
          PRAGMA user_version = 1;
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
    migrator.registerMigration("2 operations of commands") { database in
      try database.execute(
        sql: """
          PRAGMA user_version = 2;
          CREATE TABLE newRun (
            begun INTEGER PRIMARY KEY,
            ended INTEGER,
            -- 1, 2, 3, …: the number that history shows
            number INTEGER NOT NULL UNIQUE,
            kind TEXT NOT NULL CHECK (
              kind IN ('backup', 'restoreTest', 'import', 'add', 'export', 'extract', 'remove', 'undo', 'repair',
                'flatten', 'prune')),
            -- NULL for a command
            job TEXT,
            -- NULL for an operation without a library
            libraryPath TEXT, libraryID TEXT,
            startedAt INTEGER NOT NULL, endedAt INTEGER,
            outcome TEXT NOT NULL, hook TEXT,
            photos INTEGER, categories INTEGER, bytes INTEGER, skipped INTEGER, removed INTEGER, leftOut INTEGER,
            record BLOB NOT NULL
          ) STRICT;
          INSERT INTO newRun
          SELECT begun, ended, row_number() OVER (ORDER BY begun), kind, job, libraryPath, libraryID, startedAt,
            endedAt, outcome, hook, json ->> '$.run.photos', NULL, json ->> '$.run.bytes', NULL, NULL,
            json_array_length(json, '$.run.missing'), record
          FROM (
            SELECT *, iif(kind = 'backup' AND json_valid(CAST(record AS TEXT)), CAST(record AS TEXT), '{}') AS json
            FROM run);
          UPDATE newRun SET photos = CAST(record AS TEXT) ->> '$.test.photos'
          WHERE kind = 'restoreTest' AND json_valid(CAST(record AS TEXT));
          DROP TABLE run;
          ALTER TABLE newRun RENAME TO run;
          CREATE INDEX runJob ON run(job, begun);
          """)
    }
    migrator.registerMigration("3 status change times", migrate: LedgerSchema.addStatusChangeTimes)
    migrator.registerMigration("4 inboxes", migrate: LedgerSchema.addInboxes)
    return migrator
  }
}
