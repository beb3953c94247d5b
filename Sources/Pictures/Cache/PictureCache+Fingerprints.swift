internal import GRDB

extension PictureCache {
  /// Returns the fingerprints of all contents, also of those whose thumbnails the cache does not keep.
  package func fingerprints() -> FingerprintTable {
    flush()
    let kept = access { try Self.fingerprints(in: $0, after: FingerprintTable()) } ?? FingerprintTable()
    return accessSpare { try Self.fingerprints(in: $0, after: kept) } ?? kept
  }

  /// Returns a table with the fingerprints of a database that it lacks.
  private static func fingerprints(
    in database: Database, after table: FingerprintTable
  ) throws -> FingerprintTable {
    var table = table
    // adds each to the table at once, since arrays of all would take twice the memory
    let _: [Void] = try rows(PictureRow.columns, in: database) { row, _ in
      guard case .picture(let picture) = row.entry else { return nil }
      table.add(picture, of: row.content)
      return nil
    }
    return table
  }
}
