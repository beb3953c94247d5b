import Checksums
internal import Databases
import Foundation
internal import GRDB
internal import PhotoLibrary

extension PictureCache {
  /// Returns the fingerprints of all contents, also of those whose thumbnails the cache does not keep.
  package func fingerprints() -> FingerprintTable {
    flush()
    var table = FingerprintTable()
    for part in [access(Self.fingerprints(in:)), accessSpare(Self.fingerprints(in:))] {
      if let part { table.add(part) }
    }
    return table
  }

  private static func fingerprints(in database: Database) throws -> FingerprintTable {
    var table = FingerprintTable()
    // a reader does not migrate
    guard try database.columns(in: "picture").contains(where: { $0.name == "luma" }) else { return table }
    _ = try database.rows(
      "SELECT id, md5, size, \(fingerprintColumns) FROM picture WHERE version = ? AND fault IS NULL",
      [version], of: "picture"
    ) { row in
      guard let md5 = MD5Digest(bytes: try row.bytes("md5", at: 1, count: 16...16)) else {
        throw row.fault("md5 is invalid")
      }
      table.add(
        try fingerprint(row, at: 3), try captured(row, at: 6),
        of: FileContent(md5: md5, size: try row.count("size", at: 2)))
    }
    return table
  }

  static let fingerprintColumns = "differenceHash, frequencyHash, luma, capturedAt"

  /// The values of `fingerprintColumns`.
  static func arguments(of picture: Picture) -> StatementArguments {
    [
      picture.fingerprint.map { Int64(bitPattern: $0.differenceHash) },
      picture.fingerprint.map { Int64(bitPattern: $0.frequencyHash) },
      picture.fingerprint.map { Data($0.luma) }, picture.captured?.milliseconds,
    ]
  }

  /// Reads the first three of `fingerprintColumns`.
  static func fingerprint(_ row: RowReader, at position: Int) throws -> Fingerprint? {
    let count = Fingerprint.lumaCount
    guard let luma = try row.optionalBytes("luma", at: position + 2, count: count...count) else { return nil }
    return Fingerprint(
      differenceHash: UInt64(bitPattern: try row.integer("differenceHash", at: position)),
      frequencyHash: UInt64(bitPattern: try row.integer("frequencyHash", at: position + 1)),
      luma: Array(luma))
  }

  /// Reads the last one of `fingerprintColumns`.
  static func captured(_ row: RowReader, at position: Int) throws -> CaptureTime? {
    try row.optionalInteger("capturedAt", at: position).map(CaptureTime.init(milliseconds:))
  }
}
