import ArchiveCatalog
import Foundation
import SystemPackage

/// A recorded operation: a run of a job, or an operation of a command.
package struct HistoryEntry: Sendable {
  /// The row of the ledger.
  package let run: LedgerRun
  /// The outcome. An operation whose process was killed is interrupted.
  package let outcome: LedgerRun.Outcome

  fileprivate init(_ run: LedgerRun, in ledger: Ledger) {
    let isRunning = ledger.isRunning(run)
    // a run without an end may have ended since it was read
    let now = run.hasNoEnd && !isRunning ? ledger.run(number: run.number) ?? run : run
    self.run = now
    outcome = !now.hasNoEnd ? now.outcome : isRunning ? .running : .interrupted
  }

  /// Reads the details. Blocks.
  package var details: OperationRecord {
    var details: OperationRecord = JobStatus.decoded(run.record) ?? OperationRecord()
    if let backup = run.backup {
      details.archives = backup.run.archives
      details.message = backup.run.message
      details.keep(backup.findings)
    }
    if let test = run.restoreTest {
      (details.archives, details.report) = ([test.test.archive], test.test.report)
      details.findings = test.findings
    }
    return details
  }
}

extension Ledger {
  /// Returns the operations that started at this time or later, newest first. Blocks.
  ///
  /// - Parameters:
  ///   - date: in milliseconds since 1970; nil for all.
  ///   - library: only operations of the library with this folder and ID. If an ID is unknown, the folder decides.
  package func history(
    since date: Int64? = nil, library: (path: FilePath, id: String?)? = nil
  ) -> [HistoryEntry] {
    var runs = runs(since: date)
    if let library {
      let wanted = JobStatus.LibraryIdentity(path: library.path.string, id: library.id)
      var known: [JobStatus.LibraryIdentity: Bool] = [:]
      runs = runs.filter { run in
        guard let path = run.libraryPath else { return false }
        let identity = JobStatus.LibraryIdentity(path: path, id: run.libraryID)
        if let isSame = known[identity] { return isSame }
        known[identity] = identity.isSame(as: wanted)
        return known[identity] == true
      }
    }
    return runs.map { HistoryEntry($0, in: self) }
  }

  /// Returns the operation with a number; nil if there is none. Blocks.
  package func operation(number: Int64) -> HistoryEntry? {
    run(number: number).map { HistoryEntry($0, in: self) }
  }
}
