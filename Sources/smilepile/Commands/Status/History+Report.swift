import ArchiveCatalog
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary

/// The report of `history`.
extension History {
  /// - Parameter details: only of a single operation.
  private func json(_ entry: HistoryEntry, _ details: HistoryDetails?) {
    let (run, counts) = (entry.run, entry.run.counts)
    reporter.json(
      "operation",
      [
        "number": run.number, "operation": run.kind.identifier, "job": run.job,
        "library": run.libraryPath?.string, "library_id": run.libraryID, "started_at": run.startedAt,
        "finished_at": run.endedAt, "outcome": entry.outcome.identifier, "photos": counts.photos,
        "categories": counts.categories, "bytes": counts.bytes, "photos_skipped": counts.skipped,
        "removed": counts.removed, "finding_count": counts.findings, "archives": details?.archives,
        "folder": details?.folder, "message": details?.message, "report": details?.report,
        "findings": details?.findings.map { ["item": $0.item, "message": $0.message] as JSONFields },
      ])
  }

  /// Reports a list of operations.
  func list(_ entries: [HistoryEntry]) {
    reporter.result(
      TextTable(
        .right, .left, .left, .left, .left, .left,
        rows: entries.map { entry in
          [
            "\(entry.run.number)", entry.run.startedAt.localMinute, entry.title.escaped,
            entry.outcome.text, entry.run.counts.short(entry.run.kind),
            (entry.run.libraryPath?.string ?? "-").escaped,
          ]
        }))
    for entry in entries { json(entry, nil) }
    reporter.json("summary", ["operations": entries.count])
  }

  /// Reports one operation with its details.
  func show(_ entry: HistoryEntry) {
    let details = entry.details
    reporter.result(TextTable(.left, .left, rows: Self.fields(of: entry, details)))
    for finding in details.findings { reporter.result("finding: \(finding.message.escaped)") }
    let others = (entry.run.counts.findings ?? 0) - details.findings.count
    if others > 0 { reporter.result("\(Count(others, "more finding", "more findings")) without a record") }
    json(entry, details)
    reporter.json("summary", ["operations": 1])
  }

  private static func fields(of entry: HistoryEntry, _ details: HistoryDetails) -> [[String]] {
    let run = entry.run
    let fields: [(String, String?)] = [
      ("number", "\(run.number)"), ("operation", entry.title),
      ("began", run.startedAt.localSecond),
      ("ended", run.endedAt?.localSecond),
      ("outcome", entry.outcome.text), ("reason", details.message),
      ("photos", run.counts.photos.map { "\($0)" }), ("categories", run.counts.categories.map { "\($0)" }),
      ("bytes", run.counts.bytes.map { "\($0) (\(ByteCount($0)))" }),
      ("skipped", run.counts.skipped.map { "\($0)" }), ("removed", run.counts.removed.map { "\($0)" }),
      ("findings", run.counts.findings.map { "\($0)" }), ("library", run.libraryPath?.string),
      ("folder", details.folder), ("report", details.report),
    ]
    return fields.compactMap { name, value in value.map { [name, $0.escaped] } }
      + details.archives.map { ["archive", $0.escaped] }
  }
}

extension HistoryEntry {
  /// The operation with the name of its job.
  fileprivate var title: String { run.job.map { "\(run.kind.text) \($0)" } ?? run.kind.text }
}

extension LedgerRun.Kind {
  /// The name in text.
  fileprivate var text: String { self == .restoreTest ? "restore test" : rawValue }

  /// The name in JSON.
  fileprivate var identifier: String { self == .restoreTest ? "restore_test" : rawValue }

  /// What the operation removes.
  fileprivate var removes: (one: String, many: String) {
    [.prune, .backup].contains(self) ? ("archive", "archives") : ("photo", "photos")
  }
}

extension LedgerRun.Outcome {
  /// The name in text.
  fileprivate var text: String { self == .notBegun ? "not begun" : rawValue }

  /// The name in JSON.
  fileprivate var identifier: String { self == .notBegun ? "not_begun" : rawValue }
}

extension LedgerRun.Counts {
  /// Returns the counts in a few words: `14 photos, 2 findings`.
  fileprivate func short(_ kind: LedgerRun.Kind) -> String {
    let removed = removed.flatMap { $0 > 0 || photos == nil ? $0 : nil }
    let parts = [
      photos.map { "\(Count($0, "photo"))" },
      removed.map { "\(Count($0, kind.removes.one, kind.removes.many)) removed" },
      findings.flatMap { $0 > 0 ? "\(Count($0, "finding"))" : nil },
    ].compactMap { $0 }
    return parts.isEmpty ? "-" : parts.joined(separator: ", ")
  }
}
