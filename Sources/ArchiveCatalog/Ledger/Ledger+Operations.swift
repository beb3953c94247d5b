import FileSystem
import Foundation
import Operations

extension Ledger: OperationRecorder {
  /// Performs an operation, and records it: a row at its start, which the end completes. If the process is killed, the
  /// row remains without an end. Blocks while the ledger is written; the ledger never stops the operation.
  public func recording<Summary: RecordedSummary>(
    _ operation: RecordedOperation, _ body: () throws -> Summary
  ) throws -> Summary {
    let observer = observer(named: operation.kind.rawValue)
    var run = LedgerRun(operation, at: observer.moment)
    insert(&run)
    func end(_ result: OperationResult?, _ error: (any Error)?, because cause: (any Error)?) {
      run.end(operation, result, error, because: cause)
      run.endedAt = observer.moment
      // a reset and its undo give the library another ID
      if run.libraryID == nil || [.reset, .undo].contains(run.kind) { run.libraryID = operation.libraryID() }
      update(&run)
      if let id = run.libraryID, let photos = result?.photos { observer.record(photos, ofLibrary: id) }
    }
    do {
      let summary = try body()
      end(summary.recorded, nil, because: nil)
      return summary
    } catch {
      let partial = (error as? any PartialFailure)?.partialResult
      end(partial?.done, error, because: partial?.cause ?? error)
      throw error
    }
  }
}

extension LedgerRun {
  fileprivate init(_ operation: RecordedOperation, at moment: Timestamp) {
    self.init(
      operation.kind, libraryPath: operation.library?.absolute, startedAt: moment,
      record: HistoryDetails(operation).json)
    libraryID = operation.libraryID()
  }

  fileprivate mutating func end(
    _ operation: RecordedOperation, _ result: OperationResult?, _ error: (any Error)?,
    because cause: (any Error)?
  ) {
    outcome =
      switch cause?.cause {
      case nil: result?.isIncomplete == true ? .incomplete : .done
      case .cancelled: .interrupted
      case .busy: .notBegun
      default: .failed
      }
    if let result {
      counts = result.counts
      counts.findings = result.findings.count
    }
    var details = HistoryDetails(operation)
    details.archives += result?.archives.map(\.absolute.string) ?? []
    details.keep(result?.findings ?? [])
    details.message = error is CancellationError ? nil : error.map { "\($0)" }
    record = details.json
  }
}

extension HistoryDetails {
  fileprivate init(_ operation: RecordedOperation) {
    archives = operation.archives.map(\.absolute.string)
    folder = operation.folder?.absolute.string
  }

  fileprivate var json: Data { (try? JSONEncoder().encode(self)) ?? Data() }
}
