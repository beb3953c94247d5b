import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

/// An operation of a command that is about to begin.
package struct RecordedOperation: Sendable {
  /// What the operation does.
  package var kind: LedgerRun.Kind
  /// The folder of the library; nil for an operation without a library.
  package var library: FilePath?
  /// The archives that the operation was given.
  package var archives: [FilePath]
  /// The folder of the extracted photos, or of the removed archives.
  package var folder: FilePath?
  /// True if the operation changes nothing and is not recorded.
  package var isDryRun: Bool

  /// Describes an operation.
  package init(
    _ kind: LedgerRun.Kind, library: FilePath? = nil, archives: [FilePath] = [], folder: FilePath? = nil,
    isDryRun: Bool = false
  ) {
    (self.kind, self.library, self.archives) = (kind, library, archives)
    (self.folder, self.isDryRun) = (folder, isDryRun)
  }
}

extension Ledger {
  /// Performs an operation, and records it: a row at its start, which the end completes. If the process is killed, the
  /// row remains without an end. Blocks while the ledger is written; the ledger never stops the operation.
  package func recording<Summary: RecordedSummary>(
    _ operation: RecordedOperation, now: () -> Date = { Date() },
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Summary
  ) async throws -> Summary {
    guard !operation.isDryRun else { return try await body() }
    var run = begin(operation, at: now())
    do {
      let summary = try await body()
      end(&run, operation, .success(summary.recorded), at: now())
      return summary
    } catch {
      end(&run, operation, .failure(error), at: now())
      throw error
    }
  }

  /// Performs an operation of a run on this thread, and records it as `recording` does. Blocks.
  func recordingHere<Summary: RecordedSummary>(
    _ operation: RecordedOperation, now: () -> Date, _ body: () throws -> Summary
  ) throws -> Summary {
    guard !operation.isDryRun else { return try body() }
    var run = begin(operation, at: now())
    do {
      let summary = try body()
      end(&run, operation, .success(summary.recorded), at: now())
      return summary
    } catch {
      end(&run, operation, .failure(error), at: now())
      throw error
    }
  }

  private func begin(_ operation: RecordedOperation, at date: Date) -> LedgerRun {
    var run = LedgerRun(operation, at: date.milliseconds)
    insert(&run)
    return run
  }

  private func end(
    _ run: inout LedgerRun, _ operation: RecordedOperation, _ result: Result<OperationResult, any Error>,
    at date: Date
  ) {
    switch result {
    case .success(let result): run.end(operation, result)
    case .failure(let error): run.end(operation, error)
    }
    run.endedAt = date.milliseconds
    run.libraryID = run.libraryID ?? operation.libraryID
    update(&run)
  }
}

extension RecordedOperation {
  /// The library's ID; nil if the library cannot be read.
  fileprivate var libraryID: String? { library.flatMap { try? Library(path: $0).libraryID() } }
}

extension LedgerRun {
  fileprivate init(_ operation: RecordedOperation, at moment: Int64) {
    let record = Self.record(of: operation, nil)
    self.init(
      operation.kind, libraryPath: operation.library.map(Self.absolute), startedAt: moment,
      record: JobStatus.encoded(record))
    libraryID = operation.libraryID
  }

  fileprivate mutating func end(_ operation: RecordedOperation, _ result: OperationResult) {
    outcome = result.isIncomplete ? .incomplete : .done
    note(result)
    record = JobStatus.encoded(Self.record(of: operation, result))
  }

  fileprivate mutating func end(_ operation: RecordedOperation, _ error: any Error) {
    var (cause, result): (any Error, OperationResult?) = (error, nil)
    if case BackupError.stopped(_, _, let done, let inner) = error {
      (cause, result) = (inner, done.recorded)
    }
    outcome =
      switch cause {
      case is CancellationError: .interrupted
      case is FileLock.Busy: .notBegun
      default: .failed
      }
    if let result { note(result) }
    var details = Self.record(of: operation, result)
    details.message = error is CancellationError ? nil : JobMessage.text(of: error)
    record = JobStatus.encoded(details)
  }

  private mutating func note(_ result: OperationResult) {
    counts = result.counts
    counts.findings = result.findings.count
  }

  private static func record(of operation: RecordedOperation, _ result: OperationResult?) -> OperationRecord {
    var record = OperationRecord()
    record.archives = (operation.archives + (result?.archives ?? [])).map(absolute)
    record.folder = operation.folder.map(absolute)
    record.keep(result?.findings ?? [])
    record.photosLeft = result?.photosLeft
    return record
  }

  private static func absolute(_ path: FilePath) -> String {
    path.absolute.string
  }
}

extension LedgerRun.Counts {
  /// Counts what a run of a job processed.
  init(_ run: JobStatus.RunRecord) {
    self.init(
      photos: run.photos, bytes: run.bytes, removed: run.destinations.reduce(0) { $0 + $1.removed.count },
      findings: run.missing.count)
  }
}
