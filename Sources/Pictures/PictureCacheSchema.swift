internal import Databases
internal import GRDB

/// The table of the cache, as a migration.
enum PictureCacheSchema {
  /// The digests of the schemas of all versions. A released digest is never changed.
  static let digests = [
    "c78959df7e8820e226745bae7d3b646b71625c0b922937a139a12f370c107dc6",
    "7e1947f5866a972979cce27300754e83e168dc04b0131a91de70a756e8280b2f",
    "92562640ef2d7d9e1c77f19bb898e0aa7b2eb6829900f7790e1a343447756a87",
    "63dcf33d579b0615f0223cd0fdf48726359bef2a7074a90f034b056694e83bd6",
    "3b40bec58ec357f09ab3e311cb41723bdcc36846f2e43fab8da3f99934540a6f",
  ]

  /// The schemas of all versions.
  static let known = DatabaseSchema(digests: digests) { migrator }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 pictures") { database in
      try database.execute(
        sql: """
          PRAGMA application_id = \(0x534D_5043);
          CREATE TABLE picture (
            id INTEGER PRIMARY KEY,
            md5 BLOB NOT NULL CHECK (length(md5) = 16),
            size INTEGER NOT NULL,
            -- of the request: pictures of another version are drawn again
            version INTEGER NOT NULL,
            width INTEGER NOT NULL, height INTEGER NOT NULL,
            -- NULL if the photo cannot be drawn
            thumbnail BLOB,
            fault TEXT,
            -- how often the photo took too long
            attempts INTEGER NOT NULL,
            -- the decoders that could not draw it
            decoders TEXT NOT NULL,
            -- in seconds since 1970
            usedAt INTEGER NOT NULL,
            UNIQUE (md5, size)
          ) STRICT;
          CREATE INDEX pictureUsedAt ON picture(usedAt);
          """)
    }
    migrator.registerMigration("2 fingerprints") { database in
      try database.execute(
        sql: """
          -- see `Fingerprint`; NULL if the picture is flat or cannot be drawn. A row without thumbnail and fault has had a
          -- thumbnail that did not fit into the cache.
          ALTER TABLE picture ADD COLUMN differenceHash INTEGER;
          ALTER TABLE picture ADD COLUMN frequencyHash INTEGER;
          ALTER TABLE picture ADD COLUMN luma BLOB
            CHECK (luma IS NULL OR length(luma) = 768 AND differenceHash NOT NULL AND frequencyHash NOT NULL);
          -- according to the header of the photo, in milliseconds since 1970
          ALTER TABLE picture ADD COLUMN capturedAt INTEGER
          """)
    }
    migrator.registerMigration("3 checksums") { database in
      try database.execute(
        sql: """
          -- the CRC-32 of a picture or fault, see `PictureCache.Entry.checksum`
          ALTER TABLE picture ADD COLUMN checksum INTEGER
          """)
    }
    migrator.registerMigration("4 checksums of all rows") { database in
      try database.execute(sql: newTable(""))
    }
    migrator.registerMigration("5 pixels of photos") { database in
      let column = "  -- of the photo: its width times its height\n  photoPixels INTEGER NOT NULL,\n"
      try database.execute(sql: newTable(column))
    }
    return migrator
  }

  /// Replaces the table by an empty one, whose pictures are drawn again.
  ///
  /// - Parameter photoPixels: the column with the pixels of the photo; empty before version 5.
  private static func newTable(_ photoPixels: String) -> String {
    """
    -- the pictures of earlier versions are drawn again
    DROP TABLE picture;
    CREATE TABLE picture (
      id INTEGER PRIMARY KEY,
      md5 BLOB NOT NULL CHECK (length(md5) = 16),
      size INTEGER NOT NULL,
      -- of the request and the row: pictures of another version are drawn again
      version INTEGER NOT NULL,
      width INTEGER NOT NULL, height INTEGER NOT NULL,
    \(photoPixels)  -- of the photo, see `ImageHeader.Format`; NULL for another one
      format TEXT,
      -- NULL for a picture
      fault TEXT,
      -- how often the photo took too long
      attempts INTEGER NOT NULL,
      -- the decoders that could not draw it
      decoders TEXT NOT NULL,
      -- see `Fingerprint`; NULL if the picture is flat or cannot be drawn
      differenceHash INTEGER, frequencyHash INTEGER,
      luma BLOB
        CHECK (luma IS NULL OR length(luma) = 768 AND differenceHash NOT NULL AND frequencyHash NOT NULL),
      -- according to the header of the photo, in milliseconds since 1970
      capturedAt INTEGER,
      -- the CRC-32 of the columns from md5 to here, see `PictureCache.Entry.checksum`
      checksum INTEGER NOT NULL,
      -- in seconds since 1970
      usedAt INTEGER NOT NULL,
      -- the CRC-32 of the thumbnail
      thumbnailChecksum INTEGER,
      -- NULL if the photo cannot be drawn, or if the thumbnail did not fit into the cache; the last column, since
      -- SQLite reads a long value to reach what is behind it
      thumbnail BLOB,
      UNIQUE (md5, size),
      CHECK ((thumbnail IS NULL) = (thumbnailChecksum IS NULL)),
      CHECK (thumbnail IS NULL OR fault IS NULL)
    ) STRICT;
    CREATE INDEX pictureUsedAt ON picture(usedAt);
    """
  }
}
