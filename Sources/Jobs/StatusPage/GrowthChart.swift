import HTML

/// A small curve of a number that changes with time.
struct GrowthChart {
  private static let (width, height) = (300, 80)
  /// More points would not be visible.
  private static let mostPoints = 200

  let title: String
  /// The points from left to right; at least two with different `x`.
  let points: [(x: Double, y: Double)]
  /// The description for people, who may not see the curve.
  let label: String

  /// Appends the chart.
  func write(_ page: inout HTMLDocument) {
    guard let first = points.first, let last = points.last, let most = points.map(\.y).max() else { return }
    let step = (points.count + Self.mostPoints - 1) / Self.mostPoints
    let shown = points.indices.filter { $0 % step == 0 || $0 == points.count - 1 }.map { points[$0] }
    let line = shown.map { point in
      let x = Double(Self.width) * (point.x - first.x) / max(last.x - first.x, 1)
      let y = Double(Self.height - 4) * (1 - point.y / max(most, 1)) + 2
      return "\(Int(x)),\(Int(y))"
    }
    page.element("figure") { figure in
      figure.element(
        "svg",
        [
          "class": "growth", "role": "img", "aria-label": "\(title): \(label)",
          "viewBox": "0 0 \(Self.width) \(Self.height)", "width": "\(Self.width)", "height": "\(Self.height)",
        ]
      ) { svg in
        svg.element("polyline", ["points": line.joined(separator: " ")]) { _ in }
      }
      figure.element("figcaption", text: "\(title): \(label)")
    }
  }
}
