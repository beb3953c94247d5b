import Checksums
internal import Databases
import Foundation
internal import GRDB

/// The database of a library, as migrations. A released migration is never changed; the next one is added below it.
enum Schema {
  /// "SMPL" in `PRAGMA application_id`, which identifies a library's database, to file(1) too.
  static let applicationID: Int32 = 0x534D_504C

  /// The number of the newest migration, in `PRAGMA user_version`. It tells a library of a newer version without
  /// opening the database. Libraries of the first versions have 0.
  static let version: Int32 = 14

  /// The digests of the schemas of all versions. A released digest is never changed.
  static let digests = [
    "97de86dbc647bd2ad40fd03ed6a0e13fef37e267c3c8c34a64dc0f122dbc0453",
    "460dda8c76a691c0d7d1607a0541a8d721ded4d0e35637a150a6b878ec750366",
    "1b0f2b859648d3d5bb8c8dc689cd98ba81e173b63f113dd13ebb7929ce2d105c",
    "5417243d3f5eb0346b3eff8dfddb7954fda4ea7f5f94f838ebf9c1f05cc572f4",
    "d2a90f780e6daa22d7b46dce75945d75e25ccd6ada2fa66a340d01358c73d514",
    "bfb786c61facdb3fd8ceac10204385ea59ec32453f58a8c2e4521f6c3f43cbd9",
    "aabdf81c8f5dcee0706760fc791a6698004a918a78e42512184467378e6fdf7c",
    "6066f0ed25784474249c450a5a3e18ef19920e55e653e6f885ab8a3bab0ec56c",
    "f5823bb13d18b0ab82201c12d3b9bcb6595fffcc36e223385e9d14f5976f08ac",
    "f5823bb13d18b0ab82201c12d3b9bcb6595fffcc36e223385e9d14f5976f08ac",
    "8401427f63ea0754e3078f86f6739c064ef69595d2ea8d929c704619b378e0c5",
    "2f7cbc419f9c8926d63e27cc5132f8f250bb24974132f63827a6d0472ae27791",
    "5d41567f8ea4330bd49bff3539524d89382d80c29798eda00e2392f37a01bfb2",
    "395b5c19d4dd629b8f2fca73c8ce78696db4585c5fdec7849eb8c547846d4d05",
  ]

  /// The schemas of all versions.
  static let known = DatabaseSchema(digests: digests) { migrator }

  /// Migrates a database. Blocks. Another process may do the same at the same time, since an export does it without
  /// `library.lock`; the second attempt then finds nothing to do.
  static func migrate(_ queue: DatabaseQueue) throws {
    do {
      try migrator.migrate(queue)
    } catch is DatabaseError {
      try migrator.migrate(queue)
    }
    // GRDB does not notice what another process migrated
    queue.inDatabase { $0.clearSchemaCache() }
  }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 categories, photos, settings") { database in
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
      try database.execute(sql: categoryTable("category", key: "id INTEGER PRIMARY KEY"))
      try database.execute(sql: "CREATE UNIQUE INDEX categoryName ON category(name)")
      try database.execute(
        sql: photoTable(
          "photo", key: "id INTEGER PRIMARY KEY",
          category: "categoryId INTEGER NOT NULL REFERENCES category(id)"))
      try database.execute(
        sql: "CREATE UNIQUE INDEX photoPath ON photo(path) WHERE NOT isFromAssets")
      try database.execute(sql: "CREATE INDEX photoCategory ON photo(categoryId)")
      try database.execute(sql: settingsTable("settings", key: "id INTEGER PRIMARY KEY CHECK (id = 1)"))
    }
    migrator.registerMigration("2 changes and what they replaced") { database in
      // one row for every change
      try database.execute(
        sql: """
          CREATE TABLE change (
            id TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL
          ) STRICT
          """)
      let key = "changeId TEXT NOT NULL REFERENCES change(id), id INTEGER NOT NULL"
      try database.execute(sql: categoryTable("replacedCategory", key: key))
      try database.execute(
        sql: photoTable("replacedPhoto", key: key, category: "categoryId INTEGER NOT NULL"))
      try database.execute(sql: "CREATE INDEX replacedPhotoPath ON replacedPhoto(path)")
      try database.execute(sql: settingsTable("replacedSettings", key: key))
      try database.execute(
        sql: """
          CREATE TABLE export (
            id TEXT PRIMARY KEY NOT NULL, archive TEXT NOT NULL, at INTEGER NOT NULL,
            photos INTEGER NOT NULL, archiveBytes INTEGER NOT NULL, isPartial INTEGER NOT NULL
          ) STRICT
          """)
    }
    migrator.registerMigration("3 undo, deletions, PIN") { database in
      try database.execute(sql: "PRAGMA user_version = 3")
      // the rows that a change added, as ranges of IDs
      try database.execute(
        sql: """
          CREATE TABLE added (
            changeId TEXT NOT NULL REFERENCES change(id),
            kind TEXT NOT NULL CHECK (kind IN ('category', 'photo')),
            first INTEGER NOT NULL, last INTEGER NOT NULL CHECK (last >= first)
          ) STRICT
          """)
      // content that was deliberately removed from a category; if md5 and assetPath are NULL, the category itself
      try database.execute(
        sql: """
          CREATE TABLE deletion (
            changeId TEXT NOT NULL REFERENCES change(id), at INTEGER NOT NULL,
            category TEXT NOT NULL, md5 BLOB, assetPath TEXT
          ) STRICT
          """)
      try database.execute(
        sql: """
          CREATE TABLE pin (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            salt BLOB NOT NULL, hash BLOB NOT NULL, rounds INTEGER NOT NULL,
            failures INTEGER NOT NULL, lockedUntil INTEGER NOT NULL
          ) STRICT
          """)
    }
    migrator.registerMigration("4 identity") { database in
      try database.execute(sql: "PRAGMA user_version = 4")
      // distinguishes archives of two libraries in one folder
      try database.execute(
        sql: "CREATE TABLE identity (id INTEGER PRIMARY KEY CHECK (id = 1), uuid TEXT NOT NULL) STRICT")
      try database.execute(
        sql: "INSERT INTO identity (id, uuid) VALUES (1, ?)", arguments: [UUID().uuidString])
    }
    migrator.registerMigration("5 settings that no backup stated, favourites") { database in
      try database.execute(sql: "PRAGMA user_version = 5")
      for (table, key) in [
        ("settings", "id INTEGER PRIMARY KEY CHECK (id = 1)"),
        ("replacedSettings", "changeId TEXT NOT NULL REFERENCES change(id), id INTEGER NOT NULL"),
      ] {
        try makeSettingsOptional(in: table, key: key, database)
      }
      for table in ["photo", "replacedPhoto"] {
        try database.execute(
          sql: """
            ALTER TABLE \(table) ADD COLUMN isFavorite INTEGER CHECK (isFavorite IN (0, 1));
            ALTER TABLE \(table) ADD COLUMN shipsWithApp INTEGER NOT NULL DEFAULT 0
              CHECK (shipsWithApp IN (0, 1))
            """)
      }
    }
    migrator.registerMigration("6 file moves") { database in
      try database.execute(sql: "PRAGMA user_version = 6")
      // staged files that are moved to the places of photos, until the operation is complete
      try database.execute(
        sql: """
          CREATE TABLE fileMove (
            operationId TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('add', 'repair')),
            source TEXT NOT NULL, target TEXT NOT NULL, md5 BLOB NOT NULL
          ) STRICT
          """)
    }
    migrator.registerMigration("7 sequence of exports") { database in
      try database.execute(sql: "PRAGMA user_version = 7")
      // a clock that is set back makes the dates of exports useless for their order
      try database.execute(
        sql: """
          ALTER TABLE export ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
          UPDATE export SET sequence = (SELECT MAX(earlier.at) FROM export earlier WHERE earlier.rowid <= export.rowid)
          """)
    }
    migrator.registerMigration("8 photos added since an export") { database in
      try database.execute(sql: "PRAGMA user_version = 8")
      // ranges of the IDs of photos that a change added, kept longer than those for an undo
      try database.execute(
        sql: """
          CREATE TABLE addition (
            changeId TEXT NOT NULL REFERENCES change(id),
            first INTEGER NOT NULL, last INTEGER NOT NULL CHECK (last >= first)
          ) STRICT;
          -- the number of categories, and of the changes up to the export; NULL for exports of older versions
          ALTER TABLE export ADD COLUMN categories INTEGER;
          ALTER TABLE export ADD COLUMN changes INTEGER
          """)
    }
    migrator.registerMigration("9 content tags") { database in
      try database.execute(sql: "PRAGMA user_version = 9")
      // distinguish photos with equal MD5s; NULL for photos of older versions
      try database.execute(
        sql: """
          CREATE TABLE contentTagKey (
            id INTEGER PRIMARY KEY CHECK (id = 1), secret BLOB NOT NULL CHECK (length(secret) = 32)
          ) STRICT;
          ALTER TABLE photo ADD COLUMN tag BLOB CHECK (length(tag) = 16);
          ALTER TABLE replacedPhoto ADD COLUMN tag BLOB CHECK (length(tag) = 16)
          """)
      try database.execute(
        sql: "INSERT INTO contentTagKey (id, secret) VALUES (1, ?)",
        arguments: [Data(ContentTagKey.randomSecret())])
    }
    migrator.registerMigration("10 undo of several changes") { database in
      // older versions would delete what is kept for the undo of the earlier ones
      try database.execute(sql: "PRAGMA user_version = 10")
    }
    migrator.registerMigration("11 movements") { database in
      try database.execute(sql: "PRAGMA user_version = 11")
      // what a person moved or removed, in this order; see `Movement`. The size of a removed photo is known while its
      // removal can be undone.
      try database.execute(
        sql: """
          CREATE TABLE movement (
            id INTEGER PRIMARY KEY, changeId TEXT NOT NULL REFERENCES change(id), at INTEGER NOT NULL,
            md5 BLOB CHECK (length(md5) = 16), size INTEGER CHECK (size >= 0), tag BLOB CHECK (length(tag) = 16),
            assetPath TEXT, origin TEXT, destination TEXT
          ) STRICT;
          CREATE INDEX movementContent ON movement(md5);
          CREATE INDEX movementChange ON movement(changeId);
          INSERT INTO movement (changeId, at, md5, size, tag, assetPath, origin)
          SELECT deletion.changeId, at, deletion.md5, min(fileSize), tag, assetPath, category
          FROM deletion LEFT JOIN replacedPhoto
            ON replacedPhoto.changeId = deletion.changeId AND replacedPhoto.md5 = deletion.md5
          GROUP BY deletion.rowid ORDER BY deletion.rowid;
          DROP TABLE deletion;
          -- when a person set the values of the category; NULL if they come from backups
          ALTER TABLE category ADD COLUMN arrangedAt INTEGER;
          ALTER TABLE replacedCategory ADD COLUMN arrangedAt INTEGER
          """)
    }
    migrator.registerMigration("12 marks of sorting") { database in
      try database.execute(sql: "PRAGMA user_version = 12")
      // the photos that `sort` considered, by content and category; see `SortedPhoto`
      try database.execute(
        sql: """
          CREATE TABLE sortMark (
            library TEXT NOT NULL, category TEXT NOT NULL, content TEXT NOT NULL,
            -- SHA-256
            rules BLOB NOT NULL CHECK (length(rules) = 32),
            PRIMARY KEY (library, category, content)
          ) STRICT, WITHOUT ROWID
          """)
    }
    migrator.registerMigration("13 reset") { database in
      try database.execute(sql: "PRAGMA user_version = 13")
      try database.execute(
        sql: """
          -- the library ID before a reset, for its undo
          CREATE TABLE replacedIdentity (
            changeId TEXT NOT NULL REFERENCES change(id), id INTEGER NOT NULL, uuid TEXT NOT NULL
          ) STRICT;
          -- the ID of the library that was exported; exports of another ID do not count
          ALTER TABLE export ADD COLUMN library TEXT;
          UPDATE export SET library = (SELECT uuid FROM identity)
          """)
    }
    migrator.registerMigration("14 duplicates") { database in
      try database.execute(sql: "PRAGMA user_version = 14")
      try database.execute(
        sql: """
          -- pairs of contents that a person does not take for duplicates; see `Dismissal`
          CREATE TABLE dismissal (
            library TEXT NOT NULL, content TEXT NOT NULL, other TEXT NOT NULL CHECK (other > content),
            changeId TEXT NOT NULL REFERENCES change(id),
            PRIMARY KEY (library, content, other)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX dismissalChange ON dismissal(changeId);
          -- in percent
          ALTER TABLE settings ADD COLUMN similarity INTEGER CHECK (similarity BETWEEN 85 AND 98);
          ALTER TABLE replacedSettings ADD COLUMN similarity INTEGER CHECK (similarity BETWEEN 85 AND 98)
          """)
    }
    return migrator
  }

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
      valuesAsOf INTEGER NOT NULL
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
      CHECK (isFromAssets = (md5 IS NULL))
    ) STRICT
    """
  }

  private static func settingsTable(_ name: String, key: String) -> String {
    """
    CREATE TABLE \(name) (
      \(key),
      themeMode TEXT NOT NULL CHECK (themeMode IN ('light', 'dark', 'system')),
      hasPIN INTEGER NOT NULL CHECK (hasPIN IN (0, 1)),
      hasPattern INTEGER NOT NULL CHECK (hasPattern IN (0, 1)),
      kidSafeModeEnabled INTEGER NOT NULL CHECK (kidSafeModeEnabled IN (0, 1)),
      deleteProtectionEnabled INTEGER NOT NULL CHECK (deleteProtectionEnabled IN (0, 1)),
      createdAt INTEGER NOT NULL,
      changedAt INTEGER NOT NULL CHECK (changedAt >= createdAt),
      valuesAsOf INTEGER
    ) STRICT
    """
  }

  /// Lets every setting be NULL, which means that no backup has stated it. Until version 4 a record had a date for all
  /// settings together, and none where they were the defaults.
  private static func makeSettingsOptional(in table: String, key: String, _ database: Database) throws {
    func flag(_ name: String) -> String { "\(name) INTEGER CHECK (\(name) IN (0, 1))" }
    func together(_ name: String) -> String { "CHECK ((\(name) IS NULL) = (\(name)AsOf IS NULL))" }
    func stated(_ column: String) -> String { "iif(valuesAsOf IS NULL, NULL, \(column))" }
    let keyColumns = table == "settings" ? "id" : "changeId, id"
    try database.execute(
      sql: """
        ALTER TABLE \(table) RENAME TO settingsBefore5;
        CREATE TABLE \(table) (
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
          changedAt INTEGER NOT NULL CHECK (changedAt >= createdAt)
        ) STRICT;
        INSERT INTO \(table)
        SELECT \(keyColumns), \(stated("themeMode")), valuesAsOf, \(stated("hasPIN")), valuesAsOf,
          \(stated("hasPattern")), valuesAsOf, \(stated("kidSafeModeEnabled")),
          \(stated("deleteProtectionEnabled")), NULL, createdAt, changedAt
        FROM settingsBefore5;
        DROP TABLE settingsBefore5
        """)
  }
}
