import ArchiveCatalog
import Operations
import SystemPackage

/// The options of a restore test.
package struct RestoreTestOptions: Sendable {
  /// The size of the sample at each destination, a different sample each time; nil for all photos. The test
  /// restores every photo if damage was found before, at the destination or in the library, or if no backup
  /// has recorded a copy at the destination.
  package var sample: Int? = 100
  /// The parent folder of the scratch library. It needs space for the restored photos.
  package var scratch: FilePath = "/var/tmp"

  /// Makes the default options.
  package init() {}
}

/// The result of a restore test at one destination.
package struct RestoreTestResult: Sendable {
  /// The outcome at the destination.
  package enum Outcome: Sendable {
    /// The folder is missing, is not the intended one, or cannot be read. The test restored nothing.
    case unreachable(reason: String)
    /// The folder has no archive to restore.
    case noArchive(reason: String)
    /// The test restored photos from the newest archive.
    case restored(ArchiveRestore)
  }

  /// The folder.
  package let destination: FilePath
  /// Reports the archive of the last backup if it can no longer be restored. An older archive does not replace it.
  var missingCopy: Finding?
  /// The outcome at the destination.
  package let outcome: Outcome

  /// The restore; nil if the test restored nothing.
  package var restore: ArchiveRestore? { if case .restored(let restore) = outcome { restore } else { nil } }

  /// The comparison of the restored photos with the library.
  package var comparison: ArchiveRestore.Comparison { restore?.comparison ?? ArchiveRestore.Comparison() }

  /// Notes about the restore and the comparison.
  package var notes: [String] { (restore?.notes ?? []) + comparison.notes }

  /// The failures of the restore and of the comparison.
  package var failures: [Finding] {
    let missing = missingCopy.map { [$0] } ?? []
    switch outcome {
    case .unreachable(let reason): return missing + [Finding(.folder(destination.string), message: reason)]
    case .noArchive(let reason):
      return missing.isEmpty ? [Finding(.folder(destination.string), message: reason)] : missing
    case .restored(let restore): return missing + restore.failures + restore.comparison.failures
    }
  }

  /// True if every tested photo in the archive was restored.
  package var isRestored: Bool { restore != nil && failures.isEmpty }

  /// True if every tested photo was restored and no photo is missing from both the archive and the library.
  package var hasPassed: Bool { isRestored && comparison.missingInBoth == 0 }
}

/// The restore from one archive, which may have failures.
package struct ArchiveRestore: Sendable {
  /// The archives that the restore needs: the archive, then its bases or the other parts of its set.
  let members: [ArchiveDescriptor]
  /// The files of `members` before they were read.
  let files: [ArchiveFile]
  /// Tells whether every photo of all members was restored.
  var coverage: Observation.Coverage
  /// The failures of the restore.
  package var failures: [Finding] = []
  /// Notes that are not failures.
  package var notes: [String] = []
  /// The comparison of the restored photos with the library.
  package var comparison = Comparison()

  /// The comparison of restored photos with the library.
  package struct Comparison: Sendable {
    /// True if every restored photo was compared.
    var isComplete = false
    /// The number of photos that are identical in the library, byte for byte.
    package var identical = 0
    /// The number of photos that the library no longer has.
    package var notInLibrary = 0
    /// The number of photos with a known image header.
    package var images = 0
    /// The number of photos that the library lists and whose files are missing from both the library and the archive.
    var missingInBoth = 0
    /// Restored photos that differ from the library.
    package var failures: [Finding] = []
    /// Photos of the library that are missing or corrupt there.
    package var damagedInLibrary: [Finding] = []
    /// Notes that are not failures.
    package var notes: [String] = []
  }

  /// The path of the archive.
  package var archive: String { members[0].path }
}

/// The results of a restore test.
package struct RestoreTestReport: Sendable {
  /// The results, in the order of the job file's destinations.
  package var results: [RestoreTestResult] = []
  /// The path of the report; nil if it could not be written.
  package var path: FilePath?
  /// The details in the ledger; nil before the phases end, and for a test without a result.
  var details: RestoreTestDetails?
  /// Makes a report without results.
  package init() {}

  /// True if each destination restores the library.
  package var hasPassed: Bool { !results.isEmpty && results.allSatisfy(\.hasPassed) }
  /// True if a photo or archive was not restored.
  var hasFailedRestore: Bool { !results.allSatisfy(\.isRestored) }
  /// The failures of the restores and of the comparisons.
  var failures: [Finding] { results.flatMap(\.failures) }
  /// Photos that are missing or corrupt in the library.
  var damagedInLibrary: [Finding] { results.flatMap(\.comparison.damagedInLibrary) }
  /// The findings as issues of the run.
  var issues: [Issue] {
    func described(_ findings: [Finding], _ severity: Issue.Severity) -> [Issue] {
      findings.map {
        Issue(severity: severity, subject: .restore, message: $0.message, exitCode: JobStatus.damagedCode)
      }
    }
    return described(failures, .failure) + described(damagedInLibrary, .incomplete)
  }
  /// What was not restored from archives as it is in the library.
  var notRestored: [Finding] {
    results.compactMap(\.restore).flatMap { $0.failures + $0.comparison.failures }
  }
  /// The archives that could not be restored; if all could, the restored archives.
  var archives: [String] {
    results.filter { $0.isRestored != hasFailedRestore }.compactMap { $0.restore?.archive }
  }
}
