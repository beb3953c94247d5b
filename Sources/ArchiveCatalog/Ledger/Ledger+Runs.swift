internal import Databases
import Foundation
internal import GRDB
import Operations
import SystemPackage

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
            begun, ended, number, kind, job, libraryPath, libraryID, startedAt, endedAt, outcome, hook, counts, record
          ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          run.startPosition.number, run.endPosition?.number, run.number, run.kind.rawValue, run.job,
          run.libraryPath?.string, run.libraryID, run.startedAt, run.endedAt, run.outcome.rawValue, run.hook,
          try JSONEncoder().encode(run.counts), run.record,
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
          UPDATE run SET ended = ?, job = ?, libraryPath = ?, libraryID = ?, endedAt = ?, outcome = ?, hook = ?,
            counts = ?, record = ?
          WHERE begun = ? AND startedAt = ? AND kind = ?
          """,
        arguments: [
          run.endPosition?.number, run.job, run.libraryPath?.string, run.libraryID, run.endedAt,
          run.outcome.rawValue, run.hook, try JSONEncoder().encode(run.counts), run.record,
          run.startPosition.number, run.startedAt, run.kind.rawValue,
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
    rows(
      "SELECT destination, run, record FROM copy WHERE job = ? ORDER BY run DESC", [job], of: "copy"
    ) { row in
      var copy = LedgerCopy(destination: try row.text("destination"), record: try row.bytes("record"))
      copy.run = LedgerPosition(try row.integer("run"))
      return copy
    }
  }

  /// Returns the runs of a job, newest first. Blocks.
  package func runs(of job: String) -> [LedgerRun] {
    rows("SELECT * FROM run WHERE job = ? ORDER BY begun DESC", [job], of: "run", LedgerRun.init)
  }

  /// Returns the names of the jobs that have runs. Blocks.
  package func jobs() -> [String] {
    rows("SELECT DISTINCT job FROM run WHERE job IS NOT NULL ORDER BY job", of: "run") { row in
      try row.text("job", at: 0)
    }
  }

  /// Returns the runs of jobs and commands that started at this time or later, newest first. Blocks.
  ///
  /// - Parameter date: nil for all runs.
  package func runs(since date: Timestamp? = nil) -> [LedgerRun] {
    rows(
      "SELECT * FROM run WHERE startedAt >= ? ORDER BY begun DESC", [date ?? .min], of: "run", LedgerRun.init)
  }

  /// Returns the run with a number; nil if there is none. Blocks.
  package func run(number: Int64) -> LedgerRun? {
    rows("SELECT * FROM run WHERE number = ?", [number], of: "run", LedgerRun.init).first
  }

  /// Returns true if a process is performing a run; false if the run has ended or its process was killed. Blocks.
  package func isRunning(_ run: LedgerRun) -> Bool {
    run.hasNoEnd && (runLocks?.isLocked(run.startPosition) ?? true)
  }
}

extension LedgerRun {
  fileprivate init(_ row: RowReader) throws {
    self.init(
      try row.enumeration("kind"), job: try row.optionalText("job"),
      libraryPath: try row.optionalText("libraryPath").map { FilePath($0) },
      startedAt: try row.time("startedAt"), outcome: try row.enumeration("outcome"),
      record: try row.bytes("record"))
    number = try row.integer("number")
    startPosition = LedgerPosition(try row.integer("begun", in: LedgerPosition.range))
    endPosition = try row.optionalInteger("ended", in: LedgerPosition.range).map { LedgerPosition($0) }
    libraryID = try row.optionalText("libraryID")
    endedAt = try row.optionalInteger("endedAt").map(Timestamp.init(rawValue:))
    hook = try row.optionalText("hook")
    counts = try Self.counts(of: row)
  }

  private static func counts(of row: RowReader) throws -> Counts {
    let json = try row.bytes("counts")
    do {
      // refuses negative numbers
      _ = try JSONDecoder().decode([String: UInt].self, from: json)
      return try JSONDecoder().decode(Counts.self, from: json)
    } catch {
      throw row.fault("counts are malformed")
    }
  }
}
