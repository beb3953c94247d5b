import ArchiveCatalog
import Foundation
import SystemPackage

/// An operation of the past: a run of a job, or an operation of a command.
package struct HistoryEntry: Sendable {
  /// The row of the ledger.
  package let run: LedgerRun
  /// The outcome. An operation whose process was killed is interrupted.
  package let outcome: LedgerRun.Outcome

  fileprivate init(_ run: LedgerRun, in ledger: Ledger) {
    self.run = run
    let hasNoEnd = run.outcome == .running || run.hook != nil
    outcome = !hasNoEnd ? run.outcome : ledger.isUnderWay(run) ? .running : .interrupted
  }

  /// Reads the details. Blocks.
  package var details: OperationRecord {
    var details: OperationRecord = JobStatus.decoded(run.record) ?? OperationRecord()
    if let backup = run.backup?.run {
      details.archives = backup.archives
      details.message = backup.message
      details.leftOut = backup.missing.prefix(OperationRecord.mostLeftOut).map(LeftOutItem.init(message:))
    }
    if let test = run.restoreTest {
      (details.archives, details.report) = ([test.test.archive], test.test.report)
      details.leftOut = test.leftOut ?? []
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
