internal import Databases
import Foundation
internal import GRDB

/// An operation that observes archives. The operation makes this value before it reads, so that its results do not
/// clear damage that was found after its start.
package struct ArchiveObserver: Sendable {
  /// The ledger that records the observations.
  package let ledger: Ledger
  /// The operation in the user's words: `verify`, `backup family`.
  package let name: String
  /// The ledger's position when the operation began.
  package let begun: LedgerPosition
  /// The clock.
  package let now: @Sendable () -> Date

  /// The present time.
  var moment: Timestamp { Timestamp(now()) }

  fileprivate init(_ ledger: Ledger, _ name: String, _ now: @escaping @Sendable () -> Date) {
    (self.ledger, self.name, self.now) = (ledger, name, now)
    begun = ledger.position
  }

  /// Records an observation of each file, in one durable transaction. Blocks.
  ///
  /// - Parameter files: the files as they were when the operation opened them, each with the ID of the archive if it is
  ///   known.
  package func record(_ event: Observation.Event, of files: [(file: ArchiveFile, archiveID: String?)]) {
    guard !files.isEmpty else { return }
    let at = moment
    _ = ledger.write { database in
      for (file, archiveID) in files {
        try database.execute(
          sql: """
            INSERT INTO observation
              (recorded, begun, location, bytes, modifiedAt, changedAt, archiveID, event, detail, at, observer)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            try Ledger.nextPosition(database), begun.number, file.location, file.bytes, file.modifiedAt,
            file.changedAt, archiveID, event.columns.name, event.columns.detail, at, name,
          ])
      }
    }
  }
}

extension ArchiveObserver {
  /// Returns true if an operation found a version of a file damaged after this operation began. Blocks.
  package func hasFoundDamaged(_ file: ArchiveFile) -> Bool {
    let observations = ledger.observations(of: file)
    return ArchiveHealth(observations).isSuspect
      && observations.contains { observation in
        if case .foundDamaged = observation.event { observation.recorded > begun } else { false }
      }
  }

  /// Returns true if any operation has verified a version of a file since this operation began. Blocks.
  package func hasVerified(_ file: ArchiveFile) -> Bool {
    let observations = ledger.observations(of: file)
    return ArchiveHealth(observations).verifiedAt != nil
      && observations.contains { $0.event == .verified && $0.recorded > begun }
  }

  /// Returns the reasons, by location, why operations of this name found files damaged since this operation began.
  /// Blocks.
  package func damage() -> [String: String] {
    let rows = ledger.rows(
      "SELECT location, detail FROM observation WHERE recorded > ? AND event = 'damaged' AND observer = ?",
      [begun.number, name], of: "observation"
    ) { row -> (String, String) in (try row.text("location"), try row.optionalText("detail") ?? "") }
    return Dictionary(rows, uniquingKeysWith: { _, last in last })
  }
}

extension Ledger {
  /// Makes the observer of an operation that begins to read now. Blocks; only reads.
  ///
  /// - Parameters:
  ///   - name: the operation in the user's words.
  ///   - now: the clock.
  package func observer(
    named name: String, now: @escaping @Sendable () -> Date = { Date() }
  ) -> ArchiveObserver { ArchiveObserver(self, name, now) }

  /// The number of entries up to now.
  package var position: LedgerPosition {
    LedgerPosition(read { try Int64.fetchOne($0, sql: "SELECT number FROM position") ?? 0 } ?? 0)
  }

  static func nextPosition(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(database, sql: "UPDATE position SET number = number + 1 RETURNING number") ?? 0
  }

  /// Returns the observations of one version of a file, oldest first. Blocks.
  package func observations(of file: ArchiveFile) -> [Observation] {
    read { try Self.observations(of: file, $0) } ?? []
  }

  /// Derives the health of files from their observations, read in one snapshot. Blocks.
  package func health(of files: [ArchiveFile]) -> [ArchiveHealth] {
    read { database in
      try files.map { ArchiveHealth(try Self.observations(of: $0, database)) }
    } ?? files.map { _ in .unverified }
  }

  /// Derives the health of one file. Blocks.
  package func health(of file: ArchiveFile) -> ArchiveHealth { ArchiveHealth(observations(of: file)) }

  private static func observations(of file: ArchiveFile, _ database: Database) throws -> [Observation] {
    let rows = try Row.fetchCursor(
      try database.cachedStatement(
        sql: """
          SELECT event, detail, begun, recorded, at, bytes, modifiedAt, changedAt FROM observation
          WHERE location = ? AND bytes = ? ORDER BY recorded
          """), arguments: [file.location, file.bytes])
    var limit = try RowLimit(database)
    var observations: [Observation] = []
    let row = RowReader(rows, of: "observation", key: 3)
    while try rows.next() != nil {
      try limit.count(row)
      let observed = ArchiveFile(
        location: file.location, bytes: try row.count("bytes", at: 5),
        modifiedAt: try row.time("modifiedAt", at: 6),
        changedAt: try row.time("changedAt", at: 7))
      guard observed.isSameVersion(as: file),
        let event = Observation.Event(try row.text("event", at: 0), try row.optionalText("detail", at: 1))
      else {
        continue
      }
      observations.append(
        Observation(
          event, begun: LedgerPosition(try row.integer("begun", at: 2, in: LedgerPosition.range)),
          recorded: LedgerPosition(try row.integer("recorded", at: 3, in: LedgerPosition.range)),
          at: try row.time("at", at: 4)))
    }
    return observations
  }
}

extension Observation.Event {
  /// The values of the columns `event` and `detail`.
  fileprivate var columns: (name: String, detail: String?) {
    switch self {
    case .verified: ("verified", nil)
    case .restored(let coverage): ("restored", coverage.rawValue)
    case .foundDamaged(let reason): ("damaged", reason)
    case .unreachable: ("unreachable", nil)
    }
  }

  fileprivate init?(_ name: String, _ detail: String?) {
    switch name {
    case "verified": self = .verified
    case "restored": self = .restored(detail.flatMap(Observation.Coverage.init) ?? .sample)
    case "damaged": self = .foundDamaged(reason: detail ?? "")
    case "unreachable": self = .unreachable
    default: return nil
    }
  }
}
