internal import Databases
internal import GRDB

/// The exports of a library, and the place of the next one among them.
///
/// Each export has a greater sequence number than all earlier ones, whatever the clock did. While the clock runs
/// forward, the number is the date, so that the exports of two copies of a library are in the order of their dates: a
/// hybrid logical clock. https://cse.buffalo.edu/tech-reports/2014-04.pdf
public struct ExportHistory: Sendable, Equatable {
  /// The sequence number of the next export.
  public var sequence: Int64
  /// The IDs of all earlier archives, oldest first.
  public var earlierIDs: [String]
  /// The number of changes of the library up to the next export; nil if unknown.
  package var changes: Int?

  /// Makes a history.
  public init(sequence: Int64 = 0, earlierIDs: [String] = []) {
    (self.sequence, self.earlierIDs) = (sequence, earlierIDs)
  }
}

extension Library {
  /// Reads the history for an export at a date. Blocks.
  public func exportHistory(at date: Timestamp) throws -> ExportHistory {
    try read { database in
      let exports = try Self.sequences(database)
      let next = exports.map(\.sequence).max().map { $0 < .max ? $0 + 1 : $0 }
      return ExportHistory(
        sequence: max(date.rawValue, next ?? .min),
        earlierIDs: exports.filter(\.isOwn).enumerated()
          .sorted { ($0.element.sequence, $0.offset) < ($1.element.sequence, $1.offset) }.map(\.element.id))
    }
  }

  /// Returns the IDs of all archives that the library has records of, since its last reset.
  public func exportIDs() throws -> Set<String> {
    try read { database in
      try Set(
        database.rows("SELECT id FROM export WHERE \(ExportRecord.isOwn)", of: "export") {
          try $0.text("id", at: 0)
        })
    }
  }

  /// Reads the IDs and sequence numbers of all exports in the order of their records.
  private static func sequences(
    _ database: Database
  ) throws -> [(id: String, sequence: Int64, isOwn: Bool)] {
    try database.rows(
      "SELECT id, sequence, \(ExportRecord.isOwn) FROM export ORDER BY rowid", of: "export"
    ) { row in
      (
        id: try row.text("id", at: 0), sequence: try row.integer("sequence", at: 1),
        isOwn: try row.flag("library", at: 2)
      )
    }
  }
}
