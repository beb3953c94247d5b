import ArchiveCatalog
import Backup
import Foundation
import Operations
import SystemPackage

/// How a restore is tested.
package struct RestoreTestOptions: Sendable {
  /// The number of photos to restore at each destination, others each time; nil for all. Every photo is restored if damage
  /// was found before, at the destination or in the library, and if no backup has recorded a copy there.
  package var sample: Int? = 100
  /// The folder in which the scratch library is made. It needs room for what is restored.
  package var scratch: FilePath = "/var/tmp"

  /// The defaults.
  package init() {}
}

/// What a restore test found at one destination.
package struct RestoreTestResult: Sendable {
  /// What happened there.
  package enum Outcome: Sendable {
    /// The folder is missing, or is not the one that is meant: nothing was tried.
    case unreachable(reason: String)
    /// There is nothing to restore from.
    case noArchive(reason: String)
    /// Photos were restored from the newest archive.
    case tried(RestoreTrial)
  }

  /// The folder.
  package let destination: FilePath
  /// The archive that the last backup left there, by path, if it cannot be restored any more. An older archive does not
  /// replace it.
  package var missingCopy: Finding?
  /// What happened there.
  package let outcome: Outcome

  /// Makes a result of these parts.
  package init(_ destination: FilePath, _ outcome: Outcome, missingCopy: Finding? = nil) {
    (self.destination, self.outcome, self.missingCopy) = (destination, outcome, missingCopy)
  }

  /// What was tried; nil if nothing was.
  package var trial: RestoreTrial? { if case .tried(let trial) = outcome { trial } else { nil } }

  /// How the restored photos compare with the library.
  package var comparison: RestoreTrial.Comparison { trial?.comparison ?? RestoreTrial.Comparison() }

  /// Notes about the restore and the comparison.
  package var notes: [String] { (trial?.notes ?? []) + comparison.notes }

  /// What could not be restored as it should.
  package var failures: [Finding] {
    let missing = missingCopy.map { [$0] } ?? []
    switch outcome {
    case .unreachable(let reason): return missing + [Finding(destination.string, message: reason)]
    case .noArchive(let reason):
      return missing.isEmpty ? [Finding(destination.string, message: reason)] : missing
    case .tried(let trial): return missing + trial.failures + trial.comparison.failures
    }
  }

  /// True if every photo that was tried, and that the archive holds, was restored.
  package var isRestored: Bool { trial != nil && failures.isEmpty }

  /// True if that was all that the library lists, too.
  package var isProven: Bool { isRestored && comparison.lost == 0 }
}

/// What restoring from one archive came to.
package struct RestoreTrial: Sendable {
  /// What restoring takes: the archive, then its bases or the other parts of its set.
  let members: [ArchiveDescriptor]
  /// The files of `members` as they were before they were read.
  let files: [ArchiveFile]
  /// Whether every photo of all members was restored.
  var coverage: Observation.Coverage
  /// What could not be restored.
  package var failures: [Finding] = []
  /// What is worth knowing and no failure.
  package var notes: [String] = []
  /// How the restored photos compare with the library.
  package var comparison = Comparison()

  /// How restored photos compare with the library.
  package struct Comparison: Sendable {
    /// True if every photo that was restored was compared.
    var isComplete = false
    /// The number of photos that are the same in the library, byte for byte.
    package var proven = 0
    /// The number of photos that the library no longer has.
    package var gone = 0
    /// The number of photos whose image headers are known.
    package var images = 0
    /// The number of photos that the library lists and that neither it nor the archive holds.
    package var lost = 0
    /// Restored photos that differ from the library.
    package var failures: [Finding] = []
    /// Photos of the library that are missing or corrupt there.
    package var damagedInLibrary: [Finding] = []
    /// What is worth knowing and no failure.
    package var notes: [String] = []
  }

  /// Makes a trial that begins.
  init(_ members: [ArchiveDescriptor], files: [ArchiveFile], coverage: Observation.Coverage) {
    (self.members, self.files, self.coverage) = (members, files, coverage)
  }

  /// The path of the archive.
  package var archive: String { members[0].path }
}

/// What a restore test came to.
package struct RestoreTestReport: Sendable {
  /// By destination, as in the job file.
  package var results: [RestoreTestResult] = []
  /// The path of the report; nil if it could not be written.
  package var path: FilePath?
  /// True if the report and the job's status were written. They are not if another library is in the place of the job's.
  package var isRecorded = true
  /// Warnings about the test itself.
  package var warnings: [String] = []
  /// True if everything that was tried was restored at each destination.
  package var isRestored: Bool { !results.isEmpty && results.allSatisfy(\.isRestored) }
  /// True if each destination restores the library.
  package var isProven: Bool { !results.isEmpty && results.allSatisfy(\.isProven) }
  /// Photos that are damaged in the library.
  package var damagedInLibrary: [Finding] { results.flatMap(\.comparison.damagedInLibrary) }
  /// The exit code of the command: 4 if something could not be restored, or is damaged in the library; 3 if the report was
  /// not recorded.
  package var exitCode: Int32 {
    if !isProven || !damagedInLibrary.isEmpty { return JobStatus.damagedCode }
    return isRecorded ? 0 : JobStatus.incompleteCode
  }
}

extension RestoreTestReport {
  /// The report that is kept, for people.
  func text(of job: Job, library: FilePath, at date: Date) -> String {
    var lines = [
      "Restore test of job \(job.name), \(date.formatted(.iso8601))", "library \(library)", "",
    ]
    for result in results {
      lines.append("\(result.destination): \(result.isRestored ? "restores" : "DOES NOT RESTORE")")
      if let trial = result.trial {
        let comparison = trial.comparison
        lines.append("  from \(trial.archive)")
        lines.append(
          "  \(comparison.proven) photos restored byte for byte, \(comparison.images) with known image headers"
        )
        if comparison.gone > 0 {
          lines.append("  \(comparison.gone) restored that the library no longer has")
        }
      }
      lines += result.failures.map { "  error: \($0.message)" }
      lines += result.comparison.damagedInLibrary.map { "  in the library: \($0.message)" }
      lines += result.notes.map { "  note: \($0)" }
      lines.append("")
    }
    if !warnings.isEmpty { lines += warnings.map { "warning: \($0)" } + [""] }
    return lines.joined(separator: "\n")
  }
}
