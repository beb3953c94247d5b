import Foundation
internal import GRDB

/// A row of the table `copy`: the newest archive that a run found at a destination, with the archives it depends on.
package struct LedgerCopy: Sendable, Equatable {
  /// The folder.
  package var destination: String
  /// The key of the run; nil if the run is not inserted yet.
  package var run: LedgerPosition?
  /// What the run found, as JSON.
  package var record: Data

  /// Makes a row.
  package init(destination: String, record: Data) { (self.destination, self.record) = (destination, record) }
}

/// A row of the table `run`: a run of a job, inserted at its start, updated until its end.
package struct LedgerRun: Sendable, Equatable {
  /// What a run does.
  package enum Kind: String, Sendable { case backup, restoreTest }

  /// The ledger's position at the insertion; the key of the run.
  package var startPosition = LedgerPosition(0)
  /// The ledger's position at the last update of the end; nil for a run that is in progress or was killed.
  package var endPosition: LedgerPosition?
  /// What the run does.
  package var kind: Kind
  /// The job's name.
  package var job: String
  /// The folder of the library.
  package var libraryPath: String
  /// The ID of the library; nil if it is not yet known.
  package var libraryID: String?
  /// The start, in milliseconds since 1970.
  package var startedAt: Int64
  /// When the phases ended, in milliseconds since 1970; hooks may follow.
  package var endedAt: Int64?
  /// The outcome up to now.
  package var outcome: String
  /// The hook that is running, or during which the run was killed.
  package var hook: String?
  /// Everything else, as JSON.
  package var record: Data

  /// Makes the row of a run that starts.
  package init(
    _ kind: Kind, job: String, libraryPath: String, startedAt: Int64, outcome: String, record: Data = Data()
  ) {
    self.kind = kind
    (self.job, self.libraryPath, self.startedAt) = (job, libraryPath, startedAt)
    (self.outcome, self.record) = (outcome, record)
  }
}

extension Ledger {
  /// Inserts a run and sets its start position, and its end position if the run has ended already. Blocks.
  package func insert(_ run: inout LedgerRun) {
    let entry = run
    let inserted = write { database in
      var run = entry
      run.startPosition = LedgerPosition(try Self.nextPosition(database))
      if run.endedAt != nil { run.endPosition = run.startPosition }
      try database.execute(
        sql: """
          INSERT INTO run (
            begun, ended, kind, job, libraryPath, libraryID, startedAt, endedAt, outcome, hook, record
          ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          run.startPosition.number, run.endPosition?.number, run.kind.rawValue, run.job, run.libraryPath,
          run.libraryID,
          run.startedAt, run.endedAt, run.outcome, run.hook, run.record,
        ])
      return run
    }
    if let inserted { run = inserted }
  }

  /// Updates a run and the copies that it found, and sets the end position if the run has ended. Inserts the run again
  /// if the database was deleted meanwhile. Blocks.
  package func update(_ run: inout LedgerRun, copies: [LedgerCopy] = []) {
    let entry = run
    let updated = write { database in
      var run = entry
      if run.endedAt != nil { run.endPosition = LedgerPosition(try Self.nextPosition(database)) }
      try database.execute(
        sql: """
          UPDATE run SET ended = ?, libraryPath = ?, libraryID = ?, endedAt = ?, outcome = ?, hook = ?, record = ?
          WHERE begun = ? AND job = ? AND kind = ?
          """,
        arguments: [
          run.endPosition?.number, run.libraryPath, run.libraryID, run.endedAt, run.outcome, run.hook,
          run.record,
          run.startPosition.number, run.job, run.kind.rawValue,
        ])
      let isMissing = database.changesCount == 0
      for copy in isMissing ? [] : copies {
        try database.execute(
          sql: "INSERT OR REPLACE INTO copy (job, destination, run, record) VALUES (?, ?, ?, ?)",
          arguments: [run.job, copy.destination, run.startPosition.number, copy.record])
      }
      return (run, isMissing: isMissing)
    }
    guard let updated else { return }
    run = updated.0
    guard updated.isMissing else { return }
    insert(&run)
    if !copies.isEmpty { update(&run, copies: copies) }
  }

  /// Returns the copies that the runs of a job found, those of the newest runs first. Blocks.
  package func copies(of job: String) -> [LedgerCopy] {
    read { database in
      try Row.fetchAll(
        database, sql: "SELECT destination, run, record FROM copy WHERE job = ? ORDER BY run DESC",
        arguments: [job]
      ).map { row in
        var copy = LedgerCopy(destination: row["destination"], record: row["record"])
        copy.run = LedgerPosition(row["run"])
        return copy
      }
    } ?? []
  }

  /// Returns the runs of a job, newest first. Blocks.
  package func runs(of job: String) -> [LedgerRun] {
    read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM run WHERE job = ? ORDER BY begun DESC", arguments: [job]
      ).compactMap(LedgerRun.init)
    } ?? []
  }

  /// Returns the names of the jobs that have runs. Blocks.
  package func jobs() -> [String] {
    read { try String.fetchAll($0, sql: "SELECT DISTINCT job FROM run ORDER BY job") } ?? []
  }
}

extension LedgerRun {
  fileprivate init?(_ row: Row) {
    guard let kind = Kind(rawValue: row["kind"]) else { return nil }
    self.init(
      kind, job: row["job"], libraryPath: row["libraryPath"], startedAt: row["startedAt"],
      outcome: row["outcome"], record: row["record"])
    startPosition = LedgerPosition(row["begun"])
    endPosition = (row["ended"] as Int64?).map { LedgerPosition($0) }
    (libraryID, endedAt, hook) = (row["libraryID"], row["endedAt"], row["hook"])
  }
}
