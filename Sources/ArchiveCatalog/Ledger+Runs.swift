import Foundation
internal import GRDB

extension Ledger {
  /// Inserts a run and sets its start position, and its end position if the run has ended already. Blocks.
  package func insert(_ run: inout LedgerRun) {
    let entry = run
    let inserted = write { database in
      var run = entry
      run.startPosition = LedgerPosition(try Self.nextPosition(database))
      run.number = try Int64.fetchOne(database, sql: "SELECT coalesce(MAX(number), 0) + 1 FROM run") ?? 1
      if run.endedAt != nil { run.endPosition = run.startPosition }
      // before other processes can see the row
      runLocks?.lock(run.startPosition)
      try database.execute(
        sql: """
          INSERT INTO run (
            begun, ended, number, kind, job, libraryPath, libraryID, startedAt, endedAt, outcome, hook, record,
            photos, categories, bytes, skipped, removed, leftOut
          ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          run.startPosition.number, run.endPosition?.number, run.number, run.kind.rawValue, run.job,
          run.libraryPath, run.libraryID, run.startedAt, run.endedAt, run.outcome.rawValue, run.hook,
          run.record,
        ] + run.counts.arguments)
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
          UPDATE run SET ended = ?, libraryPath = ?, libraryID = ?, endedAt = ?, outcome = ?, hook = ?, record = ?,
            photos = ?, categories = ?, bytes = ?, skipped = ?, removed = ?, leftOut = ?
          WHERE begun = ? AND startedAt = ? AND job IS ? AND kind = ?
          """,
        arguments: [
          run.endPosition?.number, run.libraryPath, run.libraryID, run.endedAt, run.outcome.rawValue,
          run.hook,
          run.record,
        ] + run.counts.arguments + [run.startPosition.number, run.startedAt, run.job, run.kind.rawValue])
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
    read {
      try String.fetchAll($0, sql: "SELECT DISTINCT job FROM run WHERE job IS NOT NULL ORDER BY job")
    } ?? []
  }

  /// Returns the runs of jobs and commands that started at this time or later, newest first. Blocks.
  ///
  /// - Parameter date: in milliseconds since 1970; nil for all runs.
  package func runs(since date: Int64? = nil) -> [LedgerRun] {
    read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM run WHERE startedAt >= ? ORDER BY begun DESC", arguments: [date ?? .min]
      ).compactMap(LedgerRun.init)
    } ?? []
  }

  /// Returns the run with a number; nil if there is none. Blocks.
  package func run(number: Int64) -> LedgerRun? {
    read { database in
      try Row.fetchOne(database, sql: "SELECT * FROM run WHERE number = ?", arguments: [number])
        .flatMap(LedgerRun.init)
    } ?? nil
  }

  /// Returns true if a process is performing a run; false if the run has ended or its process was killed. Blocks.
  package func isRunning(_ run: LedgerRun) -> Bool {
    run.hasNoEnd && (runLocks?.isLocked(run.startPosition) ?? true)
  }
}

extension LedgerRun {
  fileprivate init?(_ row: Row) {
    guard let kind = Kind(rawValue: row["kind"]), let outcome = Outcome(rawValue: row["outcome"]) else {
      return nil
    }
    self.init(
      kind, job: row["job"], libraryPath: row["libraryPath"], startedAt: row["startedAt"], outcome: outcome,
      record: row["record"])
    number = row["number"]
    startPosition = LedgerPosition(row["begun"])
    endPosition = (row["ended"] as Int64?).map { LedgerPosition($0) }
    (libraryID, endedAt, hook) = (row["libraryID"], row["endedAt"], row["hook"])
    counts = Counts(
      photos: row["photos"], categories: row["categories"], bytes: row["bytes"], skipped: row["skipped"],
      removed: row["removed"], findings: row["leftOut"])
  }
}

extension LedgerRun.Counts {
  /// The values of the columns, in the order of the table.
  fileprivate var arguments: StatementArguments { [photos, categories, bytes, skipped, removed, findings] }
}
