import Checksums
internal import Databases
import Foundation
internal import GRDB
internal import ImageHeader
internal import PhotoLibrary

/// A row of the cache whose checksum is correct: a failing disk may change a row without damaging the database.
///
/// A row has two checksums, since eviction removes the thumbnail and keeps the rest. The first covers all columns but
/// `id` and `usedAt`, which change, and the thumbnail; the second covers the thumbnail.
struct PictureRow {
  /// The columns that a value is made of.
  static let columns = """
    id, md5, size, width, height, fault, attempts, decoders, \(fingerprintColumns), checksum, usedAt, \
    thumbnailChecksum, length(thumbnail), format, photoPixels
    """
  /// The columns with the thumbnail, which is the slowest to read.
  static let columnsWithThumbnail = "\(columns), thumbnail"

  private static let fingerprintColumns = "differenceHash, frequencyHash, luma, capturedAt"
  private static let thumbnailPosition = 18

  let id: Int64
  let usedAt: Int64
  let content: FileContent
  /// What the row has, with a picture without its thumbnail.
  let entry: PictureCache.Entry
  /// The bytes of the thumbnail; nil if the row has none.
  let thumbnailBytes: Int?
  private let thumbnailChecksum: Int64?

  /// Reads a row; returns nil if it is corrupt.
  ///
  /// - Throws: `DatabaseError` if a value has another type, or is out of range.
  init?(_ row: RowReader) throws {
    guard let md5 = MD5Digest(bytes: try row.bytes("md5", at: 1, count: 16...16)) else {
      throw row.fault("md5 is invalid")
    }
    (id, usedAt) = (try row.integer("id", at: 0), try row.integer("usedAt", at: 13, in: 0 ... .max))
    content = FileContent(md5: md5, size: try row.count("size", at: 2))
    if try row.optionalText("fault", at: 5) != nil {
      entry = .fault(
        try row.enumeration("fault", at: 5), decoders: try row.text("decoders", at: 7),
        attempts: try row.count("attempts", at: 6))
    } else {
      entry = .picture(
        Picture(
          width: try row.count("width", at: 3), height: try row.count("height", at: 4), jpeg: [],
          photoPixels: try row.count("photoPixels", at: 17),
          format: try row.optionalText("format", at: 16) == nil ? nil : row.enumeration("format", at: 16),
          fingerprint: try Self.fingerprint(row, at: 8),
          captured: try row.optionalInteger("capturedAt", at: 11).map(Timestamp.init(rawValue:))))
    }
    thumbnailBytes = try row.optionalCount("length of thumbnail", at: 15)
    thumbnailChecksum = try row.optionalInteger("thumbnailChecksum", at: 14)
    if let thumbnailBytes, thumbnailBytes > PictureCache.mostBytesOfPicture {
      throw row.fault("thumbnail has \(thumbnailBytes) bytes")
    }
    guard try row.integer("checksum", at: 12) == Int64(entry.checksum(for: content)),
      (thumbnailBytes == nil) == (thumbnailChecksum == nil)
    else { return nil }
  }

  private static func fingerprint(_ row: RowReader, at position: Int) throws -> Fingerprint? {
    let count = Fingerprint.lumaCount
    guard let luma = try row.optionalBytes("luma", at: position + 2, count: count...count) else { return nil }
    return Fingerprint(
      differenceHash: UInt64(bitPattern: try row.integer("differenceHash", at: position)),
      frequencyHash: UInt64(bitPattern: try row.integer("frequencyHash", at: position + 1)),
      luma: Array(luma))
  }

  /// What the cache knows, if the thumbnail is intact.
  var state: PictureCache.State {
    switch entry {
    case .fault(let fault, let decoders, let attempts):
      .fault(fault, decoders: decoders, attempts: attempts)
    case .picture: thumbnailBytes == nil ? .fingerprinted : .drawn
    }
  }

  /// The format of the photo; nil for a fault, or if `ImageHeader` does not know the format.
  var format: ImageHeader.Format? {
    guard case .picture(let picture) = entry else { return nil }
    return picture.format
  }

  /// The dimensions and the length of the picture; nil if the row has none.
  var size: PictureSize? {
    guard case .picture(let picture) = entry, let thumbnailBytes else { return nil }
    return PictureSize(width: picture.width, height: picture.height, bytes: thumbnailBytes)
  }

  /// Returns true if the thumbnail of `columnsWithThumbnail` is intact, or if the row has none. Copies nothing.
  func isThumbnailIntact(in row: RowReader) throws -> Bool {
    guard let thumbnailChecksum else { return true }
    return try row.withBytes("thumbnail", at: Self.thumbnailPosition) { bytes in
      // another program may have written the cache
      guard let bytes, bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return false }
      return Int64(Self.checksum(bytes)) == thumbnailChecksum
    }
  }

  /// Returns the entry with the thumbnail of `columnsWithThumbnail`; nil if the row has no thumbnail, or a corrupt one.
  func entry(withThumbnailOf row: RowReader) throws -> PictureCache.Entry? {
    guard case .picture(var picture) = entry else { return entry }
    guard thumbnailBytes != nil, try isThumbnailIntact(in: row) else { return nil }
    picture.jpeg = try row.withBytes("thumbnail", at: Self.thumbnailPosition) {
      Array($0 ?? .init(start: nil, count: 0))
    }
    return .picture(picture)
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var checksum = CRC32()
    checksum.update(bytes)
    return checksum.value
  }

  // MARK: Writing

  static func insert(_ entry: PictureCache.Entry, _ content: FileContent, _ database: Database) throws {
    var values: StatementArguments = [Data(content.md5.bytes), content.size]
    var jpeg: [UInt8]?
    switch entry {
    case .picture(let picture):
      values += [picture.width, picture.height, picture.photoPixels, picture.format?.rawValue, nil, 0, ""]
      values += [
        picture.fingerprint.map { Int64(bitPattern: $0.differenceHash) },
        picture.fingerprint.map { Int64(bitPattern: $0.frequencyHash) },
        picture.fingerprint.map { Data($0.luma) }, picture.captured,
      ]
      jpeg = picture.jpeg.isEmpty ? nil : picture.jpeg
    case .fault(let fault, let decoders, let attempts):
      values += [0, 0, 0, nil, fault.rawValue, attempts, decoders, nil, nil, nil, nil]
    }
    values += [Int64(entry.checksum(for: content)), PictureCache.now]
    values += [jpeg.map { Int64($0.withUnsafeBytes(checksum)) }, jpeg.map { Data($0) }]
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO picture (\(lastingColumns), thumbnailChecksum, thumbnail)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: values)
  }

  /// The columns that eviction of the thumbnail keeps.
  private static let lastingColumns =
    "md5, size, width, height, photoPixels, format, fault, attempts, decoders, \(fingerprintColumns), checksum, usedAt"

  /// Removes the thumbnails of the 100 rows that were used least. Returns the number of rows.
  static func evictThumbnails(_ database: Database) throws -> Int {
    // rows of new IDs are together; an update would leave a page for each
    try database.execute(
      sql: """
        INSERT OR REPLACE INTO picture (\(lastingColumns))
        SELECT \(lastingColumns) FROM picture WHERE thumbnail NOT NULL ORDER BY usedAt, id LIMIT 100
        """)
    return database.changesCount
  }
}

extension PictureCache.Entry {
  /// The CRC-32 of the content and everything that the entry has but the thumbnail. `scripts/duplicates`
  /// computes it, too.
  fileprivate func checksum(for content: FileContent) -> UInt32 {
    var checksum = CRC32()
    func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { checksum.update($0) } }
    func add(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { checksum.update($0) } }
    add(Array(content.md5.bytes))
    add(Int64(content.size))
    switch self {
    case .picture(let picture):
      add(Int64(picture.width))
      add(Int64(picture.height))
      add(Int64(picture.photoPixels))
      let format = Array((picture.format?.rawValue ?? "").utf8)
      add(Int64(format.count))
      add(format)
      add(Int64(picture.fingerprint?.luma.count ?? 0))
      if let fingerprint = picture.fingerprint {
        add(Int64(bitPattern: fingerprint.differenceHash))
        add(Int64(bitPattern: fingerprint.frequencyHash))
        add(fingerprint.luma)
      }
      if let captured = picture.captured { add(captured.rawValue) }
    case .fault(let fault, let decoders, let attempts):
      add(Int64(attempts))
      add(Array("\(fault.rawValue) \(decoders)".utf8))
    }
    return checksum.value
  }
}
