import HTML

/// The backups of a year as squares: a column for each week, with the newest on the right. Shapes tell the outcomes apart
/// without colour.
struct BackupCalendar {
  static let days = 371
  private static let step = 12

  /// The outcomes, by age in days.
  let outcomes: [Int: BackupHistory.Outcome]
  /// The weekday of today: 0 for Monday.
  let weekday: Int

  /// Appends the chart with its legend.
  func write(_ page: inout HTMLDocument) {
    // the last column ends with today
    let shown = 0...Self.days - 7 + weekday
    let counts = BackupHistory.Outcome.allCases.map { outcome in
      (outcome, count: shown.count { outcomes[$0] == outcome })
    }
    let known = counts.filter { $0.0 != .none && $0.count > 0 }.map { "\($0.count) \($0.0.words)" }
    let (width, height) = (Self.days / 7 * Self.step, 7 * Self.step)
    page.element(
      "svg",
      [
        "class": "nights", "role": "img", "viewBox": "0 0 \(width) \(height)", "width": "\(width)",
        "height": "\(height)", "aria-label": "Days of the last year: \(known.joined(separator: ", "))",
      ]
    ) { svg in
      for age in shown.reversed() {
        let index = shown.upperBound - age
        mark(outcomes[age] ?? .none, index / 7 * Self.step, index % 7 * Self.step, &svg)
      }
    }
    page.element("ul", ["class": "legend"]) { list in
      for outcome in BackupHistory.Outcome.allCases.reversed() {
        list.element("li") { item in
          item.element("svg", ["width": "12", "height": "12", "viewBox": "0 0 12 12", "aria-hidden": "true"])
          {
            mark(outcome, 0, 0, &$0)
          }
          item.text(" \(outcome.words)")
        }
      }
    }
  }

  private func mark(_ outcome: BackupHistory.Outcome, _ x: Int, _ y: Int, _ svg: inout HTMLDocument) {
    let path =
      switch outcome {
      case .none: "M\(x + 5) \(y + 5)h2v2h-2z"
      case .failed: "M\(x + 2) \(y + 2)l8 8m0-8l-8 8"
      case .incomplete: "M\(x + 6) \(y + 2)l4 8h-8z"
      case .unchanged: "M\(x + 3) \(y + 3)h6v6h-6z"
      case .done: "M\(x + 1) \(y + 1)h10v10h-10z"
      }
    svg.element("path", ["class": "n\(outcome.rawValue)", "d": path]) { _ in }
  }
}
