import ArchiveCatalog
import Backup
import Operations
import PhotoLibrary
import SystemPackage

/// The part of a summary that the ledger records.
package struct OperationResult: Sendable {
  /// How much the operation processed. The findings in `leftOut` are counted when they are recorded.
  package var counts = LedgerRun.Counts()
  /// What the operation left out.
  package var leftOut: [Finding] = []
  /// The archives that the operation wrote or removed, besides those that it was given.
  package var archives: [FilePath] = []
  /// True if something is missing from the result.
  package var isIncomplete = false

  /// Makes an empty result.
  package init() {}
}

/// A summary that the ledger records.
package protocol RecordedSummary: Sendable {
  /// The part that the ledger records.
  var recorded: OperationResult { get }
}

extension ImportSummary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult()
    result.counts = LedgerRun.Counts(
      photos: photosImported, categories: categoriesImported, skipped: photosSkipped, removed: removal.photos)
    (result.leftOut, result.isIncomplete) = (errors + lostBeforeBackup, isIncomplete)
    return result
  }
}

extension AddSummary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult()
    result.counts = LedgerRun.Counts(
      photos: photosAdded, categories: categoriesAdded, bytes: bytes, skipped: photosSkipped)
    (result.leftOut, result.isIncomplete) = (errors, !errors.isEmpty)
    return result
  }
}

extension ExportSummary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult()
    result.counts = LedgerRun.Counts(photos: photos, categories: categories, bytes: bytes)
    result.archives = archives
    (result.leftOut, result.isIncomplete) = (missing + corruptInLibrary, isIncomplete)
    return result
  }
}

extension ExtractSummary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult()
    result.counts = LedgerRun.Counts(photos: filesWritten, bytes: bytesWritten, skipped: filesKept)
    (result.leftOut, result.isIncomplete) = (errors, isIncomplete)
    return result
  }
}

extension RemoveSummary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult()
    result.counts = LedgerRun.Counts(categories: categories.count, bytes: bytes, removed: photos.count)
    return result
  }
}

extension UndoSummary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult()
    result.counts = LedgerRun.Counts(photos: photosRestored, removed: photosRemoved)
    (result.leftOut, result.isIncomplete) = (missing + damaged + left, isIncomplete)
    return result
  }
}

extension RepairSummary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult()
    result.counts = LedgerRun.Counts(photos: photos, bytes: bytes)
    result.archives = [archive].compactMap(\.self)
    (result.leftOut, result.isIncomplete) = (lost + unusable, isIncomplete)
    return result
  }
}

extension LibraryRepairSummary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult()
    result.counts = LedgerRun.Counts(photos: repaired.count, bytes: bytes)
    (result.leftOut, result.isIncomplete) = (damaged + unusable, isIncomplete)
    return result
  }
}

extension FlattenSummary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult()
    result.counts = LedgerRun.Counts(photos: photos, bytes: bytes)
    result.archives = [archive].compactMap(\.self)
    (result.leftOut, result.isIncomplete) = (lost, isIncomplete)
    return result
  }
}

extension PruneRun.Summary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult()
    result.counts = LedgerRun.Counts(
      bytes: removed.reduce(0) { $0 + $1.fileBytes }, removed: removed.count)
    result.archives = removed.map { FilePath($0.path) }
    result.leftOut = failures
    result.isIncomplete = !failures.isEmpty || !plan.refusals.isEmpty
    return result
  }
}
