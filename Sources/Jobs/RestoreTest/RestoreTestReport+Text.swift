import FileSystem
import Foundation
import SystemPackage

extension RestoreTestReport {
  /// Returns the text of the report file.
  func text(of job: Job, library: FilePath, at date: Date, warnings: [String] = []) -> String {
    var lines = [
      "Restore test of job \(job.name), \(date.formatted(.iso8601))", "library \(library)", "",
    ]
    for result in results {
      lines.append("\(result.destination): \(result.isRestored ? "restores" : "DOES NOT RESTORE")")
      if let restore = result.restore {
        let comparison = restore.comparison
        lines.append("  from \(restore.archive)")
        lines.append(
          "  \(Count(comparison.identical, "photo")) restored byte for byte, \(comparison.images) with known image headers"
        )
        if comparison.notInLibrary > 0 {
          let restored = Count(comparison.notInLibrary, "restored photo is", "restored photos are")
          lines.append("  \(restored) no longer in the library")
        }
      }
      lines += result.failures.map { "  error: \($0.message)" }
      lines += result.comparison.damagedInLibrary.map { "  in the library: \($0.message)" }
      lines += result.notes.map { "  note: \($0)" }
      lines.append("")
    }
    if !warnings.isEmpty { lines += warnings.map { "warning: \($0)" } + [""] }
    return lines.map(\.escaped).joined(separator: "\n")
  }
}
