import Foundation
import Operations
import SystemPackage

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

/// A row of the table `run`: a run of a job, or an operation of a command. It is inserted at its start and updated until
/// its end.
public struct LedgerRun: Sendable, Equatable {
  /// What a run does.
  public typealias Kind = RecordedOperation.Kind

  /// The outcome of a run.
  public enum Outcome: String, Sendable, Codable, CaseIterable {
    /// The run has no end yet, or its process was killed.
    case running
    /// The run did everything.
    case done
    /// The run of a job found that nothing has changed since the last archive, which is still present.
    case unchanged
    /// Something is missing from the result, and the run reports it.
    case incomplete
    /// The run did not reach its end because of an error. A failed backup has no archive with the current content of the
    /// library.
    case failed
    /// The run was stopped. What it had published is complete.
    case interrupted
    /// The run could not begin, for example because the library was locked. No status file has this outcome.
    case notBegun

    /// True if the run did everything that it had to do.
    package var isComplete: Bool { self == .done || self == .unchanged }
  }

  /// How much a run processed.
  public typealias Counts = OperationResult.Counts

  /// The ledger's position at the insertion; the key of the run.
  package var startPosition = LedgerPosition(0)
  /// The ledger's position at the last update of the end; nil for a run that is in progress or was killed.
  package var endPosition: LedgerPosition?
  /// The number that `history` shows: 1 for the first run of the ledger.
  public var number: Int64 = 0
  /// What the run does.
  public var kind: Kind
  /// The job's name; nil for a command.
  public var job: String?
  /// The folder of the library; nil for an operation without a library.
  public var libraryPath: FilePath?
  /// The ID of the library; nil if it is not yet known.
  public var libraryID: String?
  /// The start.
  public var startedAt: Timestamp
  /// When the phases ended; hooks may follow.
  public var endedAt: Timestamp?
  /// The outcome up to now.
  package var outcome: Outcome
  /// The hook that is running, or during which the run was killed.
  package var hook: String?
  /// How much the run processed up to now.
  public var counts = Counts()
  /// Everything else, as JSON.
  package var record: Data

  /// True if the run has no end in the ledger, since it is running or was killed.
  package var hasNoEnd: Bool { outcome == .running || hook != nil }

  /// Makes the row of a run that starts.
  package init(
    _ kind: Kind, job: String? = nil, libraryPath: FilePath?, startedAt: Timestamp,
    outcome: Outcome = .running, record: Data = Data()
  ) {
    self.kind = kind
    (self.job, self.libraryPath, self.startedAt) = (job, libraryPath, startedAt)
    (self.outcome, self.record) = (outcome, record)
  }
}
