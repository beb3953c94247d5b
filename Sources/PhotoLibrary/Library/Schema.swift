internal import Databases
import Foundation
internal import GRDB

/// The database of a library.
enum Schema {
  /// The tables. “SMPL” is the application ID.
  static let library = DatabaseSchema(applicationID: 0x534D_504C, version: 15, statements: statements)

  /// Makes the tables in an empty database, and gives the library an ID. The caller has begun a transaction. Blocks.
  static func create(in database: Database) throws {
    try library.create(in: database)
    try database.execute(
      sql: "INSERT INTO identity (id, uuid) VALUES (1, ?)", arguments: [UUID().uuidString])
  }

  /// The key of a table with the rows that changes replaced.
  private static let changeAndID = "changeId TEXT NOT NULL REFERENCES change(id), id INTEGER NOT NULL"

  private static let statements = """
    \(categoryTable("category", key: "id INTEGER PRIMARY KEY"));
    CREATE UNIQUE INDEX categoryName ON category(name);

    \(photoTable(
      "photo", key: "id INTEGER PRIMARY KEY", category: "categoryId INTEGER NOT NULL REFERENCES category(id)"));
    CREATE UNIQUE INDEX photoPath ON photo(path) WHERE NOT isFromAssets;
    CREATE INDEX photoCategory ON photo(categoryId);

    \(settingsTable("settings", key: "id INTEGER PRIMARY KEY CHECK (id = 1)"));

    -- distinguishes archives of two libraries in one folder
    CREATE TABLE identity (id INTEGER PRIMARY KEY CHECK (id = 1), uuid TEXT NOT NULL) STRICT;

    CREATE TABLE pin (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      salt BLOB NOT NULL, hash BLOB NOT NULL, rounds INTEGER NOT NULL,
      failures INTEGER NOT NULL, lockedUntil INTEGER NOT NULL
    ) STRICT;

    -- one row for every change
    CREATE TABLE change (
      id TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL
    ) STRICT;

    -- the rows that a change added, as ranges of IDs
    CREATE TABLE added (
      changeId TEXT NOT NULL REFERENCES change(id),
      kind TEXT NOT NULL CHECK (kind IN ('category', 'photo')),
      first INTEGER NOT NULL, last INTEGER NOT NULL CHECK (last >= first)
    ) STRICT;

    -- ranges of the IDs of photos that a change added, kept longer than those for an undo
    CREATE TABLE addition (
      changeId TEXT NOT NULL REFERENCES change(id),
      first INTEGER NOT NULL, last INTEGER NOT NULL CHECK (last >= first)
    ) STRICT;

    \(categoryTable("replacedCategory", key: changeAndID));

    \(photoTable("replacedPhoto", key: changeAndID, category: "categoryId INTEGER NOT NULL"));
    CREATE INDEX replacedPhotoPath ON replacedPhoto(path);

    \(settingsTable("replacedSettings", key: changeAndID));

    -- the library ID before a reset, for its undo
    CREATE TABLE replacedIdentity (\(changeAndID), uuid TEXT NOT NULL) STRICT;

    -- staged files that are moved to the places of photos, until the operation is complete
    CREATE TABLE fileMove (
      operationId TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('add', 'repair')),
      source TEXT NOT NULL, target TEXT NOT NULL, md5 BLOB NOT NULL
    ) STRICT;

    -- the archives that were made of the library. `sequence` orders them, since a clock may be set back; `changes` is the
    -- number of changes up to the export; exports of another library ID do not count.
    CREATE TABLE export (
      id TEXT PRIMARY KEY NOT NULL, archive TEXT NOT NULL, at INTEGER NOT NULL,
      photos INTEGER NOT NULL, archiveBytes INTEGER NOT NULL, isPartial INTEGER NOT NULL,
      sequence INTEGER NOT NULL DEFAULT 0, categories INTEGER, changes INTEGER, library TEXT
    ) STRICT;

    -- what a person moved or removed, in this order; see `Movement`
    CREATE TABLE movement (
      id INTEGER PRIMARY KEY, changeId TEXT NOT NULL REFERENCES change(id), at INTEGER NOT NULL,
      md5 BLOB CHECK (length(md5) = 16), size INTEGER CHECK (size >= 0),
      assetPath TEXT, origin TEXT, destination TEXT,
      CHECK ((md5 IS NULL) = (size IS NULL))
    ) STRICT;
    CREATE INDEX movementContent ON movement(md5);
    CREATE INDEX movementChange ON movement(changeId);

    -- the photos that `sort` considered, by content and category, and the SHA-256 of the rules; see `SortedPhoto`
    CREATE TABLE sortMark (
      library TEXT NOT NULL, category TEXT NOT NULL, content TEXT NOT NULL,
      rules BLOB NOT NULL CHECK (length(rules) = 32),
      PRIMARY KEY (library, category, content)
    ) STRICT, WITHOUT ROWID;

    -- pairs of contents that a person does not take for duplicates; see `Dismissal`
    CREATE TABLE dismissal (
      library TEXT NOT NULL, content TEXT NOT NULL, other TEXT NOT NULL CHECK (other > content),
      changeId TEXT NOT NULL REFERENCES change(id),
      PRIMARY KEY (library, content, other)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX dismissalChange ON dismissal(changeId)
    """

  /// `arrangedAt` is the time at which a person set the values; NULL if they come from backups.
  private static func categoryTable(_ name: String, key: String) -> String {
    """
    CREATE TABLE \(name) (
      \(key),
      name TEXT NOT NULL,
      displayName TEXT NOT NULL,
      position INTEGER NOT NULL,
      iconResource TEXT,
      colorHex TEXT,
      isDefault INTEGER NOT NULL CHECK (isDefault IN (0, 1)),
      createdAt INTEGER NOT NULL,
      valuesAsOf INTEGER NOT NULL,
      arrangedAt INTEGER
    ) STRICT
    """
  }

  private static func photoTable(_ name: String, key: String, category: String) -> String {
    """
    CREATE TABLE \(name) (
      \(key),
      \(category),
      name TEXT NOT NULL,
      path TEXT NOT NULL,
      originalPath TEXT NOT NULL,
      isFromAssets INTEGER NOT NULL CHECK (isFromAssets IN (0, 1)),
      createdAt INTEGER NOT NULL,
      fileSize INTEGER NOT NULL CHECK (fileSize >= 0),
      width INTEGER NOT NULL,
      height INTEGER NOT NULL,
      md5 BLOB,
      isFavorite INTEGER CHECK (isFavorite IN (0, 1)),
      shipsWithApp INTEGER NOT NULL DEFAULT 0 CHECK (shipsWithApp IN (0, 1)),
      CHECK (isFromAssets = (md5 IS NULL))
    ) STRICT
    """
  }

  /// A setting is NULL if neither a backup nor a person has stated it. `similarity` is in percent.
  private static func settingsTable(_ name: String, key: String) -> String {
    func flag(_ name: String) -> String { "\(name) INTEGER CHECK (\(name) IN (0, 1))" }
    func together(_ name: String) -> String { "CHECK ((\(name) IS NULL) = (\(name)AsOf IS NULL))" }
    return """
      CREATE TABLE \(name) (
        \(key),
        themeMode TEXT CHECK (themeMode IN ('light', 'dark', 'system')),
        themeModeAsOf INTEGER \(together("themeMode")),
        \(flag("hasPIN")),
        hasPINAsOf INTEGER \(together("hasPIN")),
        \(flag("hasPattern")),
        hasPatternAsOf INTEGER \(together("hasPattern")),
        \(flag("kidSafeModeEnabled")),
        \(flag("deleteProtectionEnabled")),
        \(flag("cameraAccessAllowed")),
        createdAt INTEGER NOT NULL,
        changedAt INTEGER NOT NULL CHECK (changedAt >= createdAt),
        similarity INTEGER CHECK (similarity BETWEEN 85 AND 98)
      ) STRICT
      """
  }
}
