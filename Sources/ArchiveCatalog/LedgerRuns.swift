import Foundation
internal import GRDB

/// A copy of a library that a run found at a destination.
package struct CopyEntry: Sendable, Equatable {
  /// The folder.
  package var destination: String
  /// The run; nil for one that is not inserted yet.
  package var run: LedgerPosition?
  /// What the run found, as JSON.
  package var record: Data

  /// Makes an entry.
  package init(destination: String, record: Data) { (self.destination, self.record) = (destination, record) }
}

/// One run of a job, as the ledger keeps it: inserted at its start, updated until its end.
package struct RunEntry: Sendable, Equatable {
  /// What a run does.
  package enum Kind: String, Sendable { case backup, restoreTest }

  /// The ledger's position when it was inserted: its key.
  package var begun = LedgerPosition(0)
  /// The ledger's position when its end was last updated; nil while it is under way, and of a run that was killed.
  package var ended: LedgerPosition?
  /// What it does.
  package var kind: Kind
  /// The job's name.
  package var job: String
  /// The folder of the library.
  package var libraryPath: String
  /// The ID of the library; nil if it is not known yet.
  package var libraryID: String?
  /// When it began, in milliseconds since 1970.
  package var startedAt: Int64
  /// When it ended, in milliseconds since 1970.
  package var endedAt: Int64?
  /// How it ended so far.
  package var outcome: String
  /// The hook that is under way, or that it was killed in.
  package var hook: String?
  /// Everything else, as JSON.
  package var record: Data

  /// Makes an entry of a run that begins.
  package init(
    _ kind: Kind, job: String, libraryPath: String, startedAt: Int64, outcome: String, record: Data = Data()
  ) {
    self.kind = kind
    (self.job, self.libraryPath, self.startedAt) = (job, libraryPath, startedAt)
    (self.outcome, self.record) = (outcome, record)
  }
}

extension Ledger {
  /// Inserts a run, and sets its `begun`; `ended` too if it has ended already. Blocks.
  package func insert(_ run: inout RunEntry) {
    let entry = run
    let inserted = write { database in
      var run = entry
      run.begun = LedgerPosition(try Self.nextPosition(database))
      if run.endedAt != nil { run.ended = run.begun }
      try database.execute(
        sql: """
          INSERT INTO run (
            begun, ended, kind, job, libraryPath, libraryID, startedAt, endedAt, outcome, hook, record
          ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          run.begun.number, run.ended?.number, run.kind.rawValue, run.job, run.libraryPath, run.libraryID,
          run.startedAt, run.endedAt, run.outcome, run.hook, run.record,
        ])
      return run
    }
    if let inserted { run = inserted }
  }

  /// Writes what became of a run since it was inserted, with the copies that it has found, and moves its `ended`
  /// if it has an end. A run that is missing, since the database was deleted meanwhile, is inserted again. Blocks.
  package func update(_ run: inout RunEntry, copies: [CopyEntry] = []) {
    let entry = run
    let updated = write { database in
      var run = entry
      if run.endedAt != nil { run.ended = LedgerPosition(try Self.nextPosition(database)) }
      try database.execute(
        sql: """
          UPDATE run SET ended = ?, libraryPath = ?, libraryID = ?, endedAt = ?, outcome = ?, hook = ?, record = ?
          WHERE begun = ? AND job = ? AND kind = ?
          """,
        arguments: [
          run.ended?.number, run.libraryPath, run.libraryID, run.endedAt, run.outcome, run.hook, run.record,
          run.begun.number, run.job, run.kind.rawValue,
        ])
      let isMissing = database.changesCount == 0
      for copy in isMissing ? [] : copies {
        try database.execute(
          sql: "INSERT OR REPLACE INTO copy (job, destination, run, record) VALUES (?, ?, ?, ?)",
          arguments: [run.job, copy.destination, run.begun.number, copy.record])
      }
      return (run, isMissing: isMissing)
    }
    guard let updated else { return }
    run = updated.0
    guard updated.isMissing else { return }
    insert(&run)
    if !copies.isEmpty { update(&run, copies: copies) }
  }

  /// Returns the copies that runs of a job have found, those of the newest runs first. Blocks.
  package func copies(of job: String) -> [CopyEntry] {
    read { database in
      try Row.fetchAll(
        database, sql: "SELECT destination, run, record FROM copy WHERE job = ? ORDER BY run DESC",
        arguments: [job]
      ).map { row in
        var copy = CopyEntry(destination: row["destination"], record: row["record"])
        copy.run = LedgerPosition(row["run"])
        return copy
      }
    } ?? []
  }

  /// Returns the runs of a job, newest first. Blocks.
  package func runs(of job: String) -> [RunEntry] {
    read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM run WHERE job = ? ORDER BY begun DESC", arguments: [job]
      ).compactMap(RunEntry.init)
    } ?? []
  }

  /// Returns the names of the jobs that have runs. Blocks.
  package func jobs() -> [String] {
    read { try String.fetchAll($0, sql: "SELECT DISTINCT job FROM run ORDER BY job") } ?? []
  }
}

extension RunEntry {
  fileprivate init?(_ row: Row) {
    guard let kind = Kind(rawValue: row["kind"]) else { return nil }
    self.init(
      kind, job: row["job"], libraryPath: row["libraryPath"], startedAt: row["startedAt"],
      outcome: row["outcome"], record: row["record"])
    begun = LedgerPosition(row["begun"])
    ended = (row["ended"] as Int64?).map { LedgerPosition($0) }
    (libraryID, endedAt, hook) = (row["libraryID"], row["endedAt"], row["hook"])
  }
}
