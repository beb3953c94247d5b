import ArchiveCatalog
import Backup
import Operations
import PhotoLibrary
import SystemPackage

/// The part of a summary that the ledger records.
package struct OperationResult: Sendable {
  /// How much the operation processed. The findings are counted when they are recorded.
  package var counts: LedgerRun.Counts
  /// What is missing from the result, or corrupt in it.
  package var findings: [Finding]
  /// True if something is missing from the result.
  package var isIncomplete: Bool
  /// The archives that the operation wrote or removed, besides those that it was given.
  package var archives: [FilePath]
  /// The photos that a repair of a library left corrupt or missing; nil for other operations.
  package var photosLeft: OperationRecord.PhotosLeft?

  /// Describes a result.
  package init(
    _ counts: LedgerRun.Counts, findings: [Finding] = [], isIncomplete: Bool = false,
    archives: [FilePath] = []
  ) {
    (self.counts, self.findings) = (counts, findings)
    (self.isIncomplete, self.archives) = (isIncomplete, archives)
  }
}

/// A summary that the ledger records.
package protocol RecordedSummary: Sendable {
  /// The part that the ledger records.
  var recorded: OperationResult { get }
}

extension ImportSummary: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      LedgerRun.Counts(
        photos: photosImported, categories: categoriesImported, skipped: photosSkipped,
        removed: removal.photos),
      findings: findings + missingWithoutDamage, isIncomplete: isIncomplete)
  }
}

extension AddSummary: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      LedgerRun.Counts(
        photos: photosAdded, categories: categoriesAdded, bytes: bytes, skipped: photosSkipped),
      findings: findings, isIncomplete: !errors.isEmpty)
  }
}

extension ExportSummary: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      LedgerRun.Counts(photos: photos, categories: categories, bytes: bytes), findings: findings,
      isIncomplete: isIncomplete, archives: archives)
  }
}

extension ExtractSummary: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      LedgerRun.Counts(photos: filesWritten, bytes: bytesWritten, skipped: filesKept), findings: findings,
      isIncomplete: isIncomplete)
  }
}

extension RemoveSummary: RecordedSummary {
  package var recorded: OperationResult { OperationResult(LedgerRun.Counts(removed: photos.count)) }
}

extension LibraryReset.Report: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      LedgerRun.Counts(removed: summary.photos), findings: findings, isIncomplete: !findings.isEmpty)
  }
}

extension UndoSummary: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      LedgerRun.Counts(photos: photosRestored, removed: photosRemoved), findings: findings,
      isIncomplete: isIncomplete)
  }
}

extension RepairSummary: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      LedgerRun.Counts(photos: photos, bytes: bytes), findings: findings, isIncomplete: isIncomplete,
      archives: [archive].compactMap(\.self))
  }
}

extension LibraryRepairSummary: RecordedSummary {
  package var recorded: OperationResult {
    var result = OperationResult(
      LedgerRun.Counts(photos: repaired.count, bytes: bytes), findings: damaged + unusable,
      isIncomplete: isIncomplete)
    result.photosLeft = OperationRecord.PhotosLeft(count: damaged.count, isSearchComplete: isSearchComplete)
    return result
  }
}

extension RebuildSummary: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      LedgerRun.Counts(photos: photos, categories: categories, bytes: bytes), findings: findings + restored,
      isIncomplete: isIncomplete)
  }
}

extension FlattenSummary: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      LedgerRun.Counts(photos: photos, bytes: bytes), findings: findings, isIncomplete: isIncomplete,
      archives: [archive].compactMap(\.self))
  }
}

extension PruneRun.Summary: RecordedSummary {
  package var recorded: OperationResult {
    OperationResult(
      LedgerRun.Counts(removed: removed.count), findings: findings,
      isIncomplete: !failures.isEmpty || !plan.refusals.isEmpty, archives: removed.map { FilePath($0.path) })
  }
}
