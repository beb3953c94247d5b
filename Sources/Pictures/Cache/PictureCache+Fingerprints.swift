internal import GRDB

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
    // adds each to the table at once, since arrays of all would take twice the memory
    let _: [Void] = try rows(PictureRow.columns, in: database) { row, _ in
      guard case .picture(let picture) = row.entry else { return nil }
      table.add(picture, of: row.content)
      return nil
    }
    return table
  }
}
