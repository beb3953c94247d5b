internal import Databases

/// The database of the ledger.
enum LedgerSchema {
  /// The tables. “SMPG” is the application ID.
  static let ledger = DatabaseSchema(applicationID: 0x534D_5047, version: 6, statements: statements)

  private static let statements = """
    -- the number of entries ever made, including deleted ones
    CREATE TABLE position (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL) STRICT;
    INSERT INTO position (id, number) VALUES (1, 0);

    CREATE TABLE observation (
      recorded INTEGER PRIMARY KEY,
      begun INTEGER NOT NULL,
      location TEXT NOT NULL, bytes INTEGER NOT NULL, modifiedAt INTEGER NOT NULL, changedAt INTEGER NOT NULL,
      archiveID TEXT,
      event TEXT NOT NULL CHECK (event IN ('verified', 'restored', 'damaged', 'unreachable')),
      detail TEXT,
      at INTEGER NOT NULL, observer TEXT NOT NULL
    ) STRICT;
    CREATE INDEX observationLocation ON observation(location, recorded);

    -- what operations found about the photos of a library; `message` is NULL for an intact photo
    CREATE TABLE photoObservation (
      recorded INTEGER PRIMARY KEY,
      begun INTEGER NOT NULL,
      library TEXT NOT NULL, photo INTEGER NOT NULL,
      event TEXT NOT NULL CHECK (event IN ('damaged', 'inNoArchive', 'intact')),
      message TEXT,
      at INTEGER NOT NULL, observer TEXT NOT NULL
    ) STRICT;
    CREATE INDEX photoObservationLibrary ON photoObservation(library, recorded);

    CREATE TABLE descriptor (
      location TEXT PRIMARY KEY NOT NULL,
      bytes INTEGER NOT NULL, modifiedAt INTEGER NOT NULL, changedAt INTEGER NOT NULL,
      format INTEGER NOT NULL, json BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- `number` is 1, 2, 3, …: history shows it. `job` is NULL for a command; library path and ID are NULL for an operation
    -- without a library. `counts` and `record` are JSON.
    CREATE TABLE run (
      begun INTEGER PRIMARY KEY,
      ended INTEGER,
      number INTEGER NOT NULL UNIQUE,
      kind TEXT NOT NULL CHECK (
        kind IN ('backup', 'restoreTest', 'import', 'add', 'export', 'extract', 'remove', 'reset', 'undo', 'verify',
          'repair', 'rebuild', 'flatten', 'prune')),
      job TEXT,
      libraryPath TEXT, libraryID TEXT,
      startedAt INTEGER NOT NULL, endedAt INTEGER,
      outcome TEXT NOT NULL, hook TEXT,
      counts BLOB NOT NULL, record BLOB NOT NULL
    ) STRICT;
    CREATE INDEX runJob ON run(job, begun);

    -- the newest copy that a run found at a destination
    CREATE TABLE copy (
      job TEXT NOT NULL, destination TEXT NOT NULL,
      run INTEGER NOT NULL REFERENCES run(begun),
      record BLOB NOT NULL,
      PRIMARY KEY (job, destination, run)
    ) STRICT, WITHOUT ROWID;

    -- the SHA-256 of one version of a file in an inbox
    CREATE TABLE inboxFile (
      location TEXT PRIMARY KEY NOT NULL,
      bytes INTEGER NOT NULL, modifiedAt INTEGER NOT NULL, changedAt INTEGER NOT NULL,
      content BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- backups that were imported from inboxes, by SHA-256; `problem` is NULL if the backup is not damaged
    CREATE TABLE importedBackup (
      library TEXT NOT NULL,
      content BLOB NOT NULL,
      at INTEGER NOT NULL,
      photos INTEGER NOT NULL,
      problem TEXT,
      PRIMARY KEY (library, content)
    ) STRICT, WITHOUT ROWID
    """
}
