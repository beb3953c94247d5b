internal import Databases

/// The database of a cache of pictures.
enum PictureCacheSchema {
  /// The tables. “SMPC” is the application ID. The pictures of another version are drawn again.
  static let cache = DatabaseSchema(applicationID: 0x534D_5043, version: 7, statements: statements)

  /// Column by column: `width` and `height` are those of the picture, and `photoPixels` is the width of the photo times its
  /// height. `format` is that of the photo, see `ImageHeader.Format`; NULL for another one. `fault` is NULL for a picture.
  /// `attempts` tells how often the photo took too long, and `decoders` which decoders could not draw it. `Fingerprint`
  /// explains the hashes and `luma`, which are NULL if the picture is flat or cannot be drawn. `capturedAt` is the time in
  /// the header of the photo, in milliseconds since 1970. `checksum` is the CRC-32 of the columns from `md5` to it, see
  /// `PictureCache.Entry.checksum`. `usedAt` is in seconds since 1970. `thumbnailChecksum` is a CRC-32. `thumbnail` is NULL
  /// if the photo cannot be drawn, or if the thumbnail did not fit into the cache. It is the last column, since SQLite reads
  /// a long value to reach what is behind it.
  private static let statements = """
    CREATE TABLE picture (
      id INTEGER PRIMARY KEY,
      md5 BLOB NOT NULL CHECK (length(md5) = 16),
      size INTEGER NOT NULL,
      width INTEGER NOT NULL, height INTEGER NOT NULL,
      photoPixels INTEGER NOT NULL,
      format TEXT,
      fault TEXT,
      attempts INTEGER NOT NULL,
      decoders TEXT NOT NULL,
      differenceHash INTEGER, frequencyHash INTEGER,
      luma BLOB
        CHECK (luma IS NULL OR length(luma) = 768 AND differenceHash NOT NULL AND frequencyHash NOT NULL),
      capturedAt INTEGER,
      checksum INTEGER NOT NULL,
      usedAt INTEGER NOT NULL,
      thumbnailChecksum INTEGER,
      thumbnail BLOB,
      UNIQUE (md5, size),
      CHECK ((thumbnail IS NULL) = (thumbnailChecksum IS NULL)),
      CHECK (thumbnail IS NULL OR fault IS NULL)
    ) STRICT;
    CREATE INDEX pictureUsedAt ON picture(usedAt)
    """
}
