import ArchiveCatalog
import Backup
import Foundation
import Operations
import SystemPackage

/// How a restore is tried.
package struct DrillOptions: Sendable {
  /// So many photos at each destination, other ones each time; nil for all. All are tried where something was found wrong
  /// before, there or in the library, or where no backup has noted what lies there.
  package var sample: Int? = 100
  /// The folder in which the scratch library is made; it needs room for what is restored.
  package var scratch: FilePath = "/var/tmp"

  /// The defaults.
  package init() {}
}

/// What a drill found at one destination.
package struct DrillResult: Sendable {
  /// The folder.
  package var destination: FilePath
  /// The archive that was restored from; nil if there was none to restore from.
  package var archive: String?
  /// Photos that came back as they are in the library, byte for byte.
  package var proven = 0
  /// Photos that came back whole, and that the library no longer has.
  package var gone = 0
  /// Photos whose images this program knows by their headers.
  package var images = 0
  /// What did not come back as it should.
  package var failures: [Finding] = []
  /// Photos of which it is the library that has other bytes than it should, or none: those that came back whole, and those
  /// that were lost before the archive was made.
  package var damagedInLibrary: [Finding] = []
  /// What is worth knowing and no failure.
  package var notes: [String] = []
  /// The archive that the last backup left there, if nobody can restore from it any more.
  var lostArchive: String?
  /// Photos that the archive lists and has not, since they were lost before it was made: when each was taken, by its number.
  var lostBefore: [Int64: Int64] = [:]
  /// The archives that restoring takes, that one first.
  var members: [ArchiveDescriptor] = []
  /// The files of `members` as they were before anything was read.
  var files: [ArchiveFile] = []
  /// One of them was suspect, so that every photo was to be restored.
  var wasSuspect = false
  /// Every photo of all of them was restored.
  var isReadWhole = false
  /// What came back was compared with the library.
  var isCompared = false
  /// The folder is not there, or not the one that is meant: nothing was tried.
  var isOutOfReach = false

  /// Photos that the library lists, and that neither it nor the archive has.
  var lost = 0

  /// Everything that was tried and that is in the archive came back.
  package var isRestored: Bool { failures.isEmpty && archive != nil }
  /// That was all that the library lists, too.
  package var isProven: Bool { isRestored && lost == 0 }
}

/// What a drill came to.
package struct DrillReport: Sendable {
  /// By destination, as in the job file.
  package var results: [DrillResult] = []
  /// Where the report lies; nil if it could not be written.
  package var path: FilePath?
  /// The report and the job's status were written, so that others learn of it; they do not where another library lies in
  /// the place of the job's.
  package var isRecorded = true
  /// What is worth knowing of the drill itself.
  package var warnings: [String] = []
  /// What every destination has came back.
  package var isRestored: Bool { !results.isEmpty && results.allSatisfy(\.isRestored) }
  /// Every destination restores the library.
  package var isProven: Bool { !results.isEmpty && results.allSatisfy(\.isProven) }
  /// What the command ends with: 4 where something did not come back, or has rotten in the library; 3 where others do
  /// not learn of it.
  package var exitCode: Int32 {
    if !isProven || !results.allSatisfy(\.damagedInLibrary.isEmpty) { return JobStatus.damagedCode }
    return isRecorded ? 0 : JobStatus.incompleteCode
  }
}

extension DrillReport {
  /// What is kept of a drill, for people.
  func text(of job: Job, library: FilePath, at date: Date) -> String {
    var lines = [
      "Drill of job \(job.name), \(date.formatted(.iso8601))", "library \(library)", "",
    ]
    for result in results {
      lines.append("\(result.destination): \(result.isRestored ? "restores" : "DOES NOT RESTORE")")
      if let archive = result.archive { lines.append("  from \(archive)") }
      lines.append("  \(result.proven) photos came back byte for byte, \(result.images) of them known images")
      if result.gone > 0 { lines.append("  \(result.gone) came back that the library no longer has") }
      lines += result.failures.map { "  error: \($0.message)" }
      lines += result.damagedInLibrary.map { "  in the library: \($0.message)" }
      lines += result.notes.map { "  note: \($0)" }
      lines.append("")
    }
    if !warnings.isEmpty { lines += warnings.map { "warning: \($0)" } + [""] }
    return lines.joined(separator: "\n")
  }
}
