import Checksums
internal import Databases
import Foundation
internal import GRDB
internal import PhotoLibrary

/// Reads and writes the rows of a cache. A row has a checksum, since a disk may change a picture without damaging the database.
extension PictureCache {
  /// The columns that `row` reads.
  static let rowColumns =
    "id, width, height, thumbnail, fault, decoders, attempts, usedAt, \(fingerprintColumns), checksum"

  /// Reads a row. The entry is nil if the thumbnail was removed, or if the row is corrupt.
  static func row(_ row: RowReader) throws -> (id: Int64, usedAt: Int64, entry: Entry?) {
    let id = try row.integer("id", at: 0)
    let usedAt = try row.integer("usedAt", at: 7, in: 0 ... .max)
    let entry = try entry(row)
    let checksum = try row.optionalInteger("checksum", at: 12)
    return (id, usedAt, entry.flatMap { Int64($0.checksum) == checksum ? $0 : nil })
  }

  private static func entry(_ row: RowReader) throws -> Entry? {
    if let thumbnail = try row.optionalBytes("thumbnail", at: 3, count: 3...mostBytesOfPicture) {
      // another program may have written the cache
      guard thumbnail.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
      return .picture(
        Picture(
          width: try row.count("width", at: 1), height: try row.count("height", at: 2),
          jpeg: Array(thumbnail), fingerprint: try fingerprint(row, at: 8),
          captured: try captured(row, at: 11)))
    }
    if try row.optionalText("fault", at: 4) == nil { return nil }
    return .fault(
      try row.enumeration("fault", at: 4), decoders: try row.text("decoders", at: 5),
      attempts: try row.count("attempts", at: 6))
  }

  /// Returns what the cache knows about all contents.
  ///
  /// - Parameter isVerifying: true to read all pictures, and to leave out corrupt rows.
  static func states(in database: Database, isVerifying: Bool = false) throws -> [(FileContent, State)] {
    let corrupt = isVerifying ? try corruptRows(in: database) : []
    return try database.rows(
      """
      SELECT id, md5, size, fault, decoders, attempts, thumbnail IS NULL, fault IS NULL FROM picture
      WHERE version = ?
      """, [version], of: "picture"
    ) { row -> (FileContent, State)? in
      guard let md5 = MD5Digest(bytes: try row.bytes("md5", at: 1, count: 16...16)) else {
        throw row.fault("md5 is invalid")
      }
      if try corrupt.contains(row.integer("id", at: 0)) { return nil }
      let content = FileContent(md5: md5, size: try row.count("size", at: 2))
      guard try row.flag("thumbnail", at: 6) else { return (content, .drawn) }
      if try row.flag("fault", at: 7) { return (content, .fingerprinted) }
      return (
        content,
        .fault(
          try row.enumeration("fault", at: 3), decoders: try row.text("decoders", at: 4),
          attempts: try row.count("attempts", at: 5))
      )
    }.compactMap(\.self)
  }

  private static func corruptRows(in database: Database) throws -> Set<Int64> {
    let rows = try database.rows(
      "SELECT \(rowColumns) FROM picture WHERE version = ? AND (thumbnail NOT NULL OR fault NOT NULL)",
      [version], of: "picture"
    ) { row in
      let (id, _, entry) = try Self.row(row)
      return entry == nil ? id : nil
    }
    return Set(rows.compactMap(\.self))
  }

  // MARK: Writing

  static func insert(_ entry: Entry, _ content: FileContent, _ database: Database) throws {
    var values: StatementArguments = [Data(content.md5.bytes), content.size, version]
    switch entry {
    case .picture(let picture):
      let thumbnail = picture.jpeg.isEmpty ? nil : Data(picture.jpeg)
      values += [picture.width, picture.height, thumbnail, nil, 0, ""] + arguments(of: picture)
    case .fault(let fault, let decoders, let attempts):
      values += [0, 0, nil, fault.rawValue, attempts, decoders, nil, nil, nil, nil]
    }
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO picture (
          md5, size, version, width, height, thumbnail, fault, attempts, decoders, \(fingerprintColumns), usedAt,
          checksum)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: values + [now, Int64(entry.checksum)])
  }

  /// The bytes of the pages that are in use.
  static func bytes(_ database: Database) throws -> Int {
    let number = { (name: String) in try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
    return try max(0, number("page_count") - number("freelist_count")).saturated(times: number("page_size"))
  }

  /// Removes thumbnails first, since a fingerprint is small and takes as long to make again.
  static func evict(to limit: Int, _ database: Database) throws {
    let columns =
      "md5, size, version, width, height, fault, attempts, decoders, \(fingerprintColumns), usedAt"
    while try bytes(database) > limit {
      // rows of new IDs are together; an update would leave a page for each
      try database.execute(
        sql: """
          INSERT OR REPLACE INTO picture (\(columns))
          SELECT \(columns) FROM picture WHERE thumbnail NOT NULL ORDER BY usedAt, id LIMIT 100
          """)
      if database.changesCount > 0 { continue }
      try database.execute(
        sql: "DELETE FROM picture WHERE id IN (SELECT id FROM picture ORDER BY usedAt, id LIMIT 100)")
      if database.changesCount == 0 { return }
    }
  }
}

extension PictureCache.Entry {
  /// The CRC-32 of everything that the entry has.
  var checksum: UInt32 {
    var checksum = CRC32()
    func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { checksum.update($0) } }
    func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { checksum.update($0) }
    }
    switch self {
    case .picture(let picture):
      for number in [picture.width, picture.height, picture.jpeg.count] { add(number) }
      add(picture.jpeg)
      if let fingerprint = picture.fingerprint {
        for hash in [fingerprint.differenceHash, fingerprint.frequencyHash] { add(hash) }
        add(fingerprint.luma)
      }
      if let captured = picture.captured { add(captured.milliseconds) }
    case .fault(let fault, let decoders, let attempts):
      add(attempts)
      add(Array("\(fault.rawValue) \(decoders)".utf8))
    }
    return checksum.value
  }
}
