import TestSupport

/// The results of all shapes as a Markdown table.
struct ShapeTable {
  /// The lines of a document before and after the table.
  static let (begin, end) = ("<!-- results: begin -->", "<!-- results: end -->")

  let text: String

  init(_ runs: [ShapeRun]) {
    let head = [
      "Backup", "Made by", "Photos imported", "Photos absent", "Names", "Dates", "Categories", "Exit code",
      "Imported again", "Exported and imported", "Apps that open the export",
    ]
    let rows = [head, head.map { _ in "---" }] + runs.map(Self.cells)
    text = rows.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }

  private static func cells(_ run: ShapeRun) -> [String] {
    let start = [run.backup.label, run.backup.origin]
    if run.refusal != nil {
      return start + ["refused", "", "", "", "", "\(run.exitCode)", "", "", ""]
    }
    let made = run.standIns == 0 ? "" : " and \(run.standIns) made for an ID"
    let isEmpty = run.imported.expected == 0
    return start + [
      "\(run.imported.found) of \(run.imported.expected)", "\(run.absent)",
      isEmpty ? "" : run.keepsNames ? "kept" : "differ", isEmpty ? "" : run.keepsDates ? "kept" : "differ",
      "\(run.categories)\(made)", "\(run.exitCode)", run.isStable ? "no change" : "changes",
      run.returns ? "the same" : "differs",
      run.opening.count == ShapeRun.readers.count
        ? "all" : run.opening.map(\.rawValue).joined(separator: ", "),
    ]
  }

  /// Returns a document with this table between the two lines; nil if the lines are missing.
  func inserted(into document: String) -> String? {
    guard let begin = document.range(of: Self.begin + "\n"), let end = document.range(of: Self.end),
      begin.upperBound <= end.lowerBound
    else { return nil }
    return document[..<begin.upperBound] + text + document[end.lowerBound...]
  }
}
