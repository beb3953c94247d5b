/// A recorded operation: a run of a job, or an operation of a command or of another client.
public struct HistoryEntry: Sendable {
  /// The row of the ledger.
  public let run: LedgerRun
  /// The outcome. An operation whose process was killed is interrupted.
  public let outcome: LedgerRun.Outcome

  fileprivate init(_ run: LedgerRun, in ledger: Ledger) {
    let isRunning = ledger.isRunning(run)
    // a run without an end may have ended since it was read
    let now = run.hasNoEnd && !isRunning ? ledger.run(number: run.number) ?? run : run
    self.run = now
    outcome = !now.hasNoEnd ? now.outcome : isRunning ? .running : .interrupted
  }
}

extension Ledger {
  /// Returns the operations that started at this time or later, newest first. Blocks.
  ///
  /// - Parameter date: nil for all.
  public func history(since date: Timestamp? = nil) -> [HistoryEntry] {
    runs(since: date).map { HistoryEntry($0, in: self) }
  }

  /// Returns the operation with a number; nil if no operation has it. Blocks.
  public func operation(number: Int64) -> HistoryEntry? {
    run(number: number).map { HistoryEntry($0, in: self) }
  }
}
