import Foundation

@testable import Pictures

/// The similarity of pictures, computed from its definition and without integers.
enum Oracle {
  static func sine(_ angle: Double) -> Double { sin(angle) }

  /// The similarity of what the pictures show between bars that both have.
  static func similarity(_ one: [UInt8], _ other: [UInt8]) -> Double {
    let rows = Array(0..<Fingerprint.rows), columns = Array(0..<Fingerprint.columns)
    func row(_ luma: [UInt8], _ y: Int) -> [UInt8] { columns.map { luma[y * columns.count + $0] } }
    func column(_ luma: [UInt8], _ x: Int) -> [UInt8] { rows.map { luma[$0 * columns.count + x] } }
    let shownRows = shown(rows.map { row(one, $0) }, rows.map { row(other, $0) })
    let shownColumns = shown(columns.map { column(one, $0) }, columns.map { column(other, $0) })
    guard !shownRows.isEmpty, !shownColumns.isEmpty else { return -1 }
    let (one, other) = (part(one, shownRows, shownColumns), part(other, shownRows, shownColumns))
    return max(correlation(one, other), correlation(other, one))
  }

  /// The lines that are not in a bar, nor beside one: at an edge, or with a neighbour, of one colour in both pictures.
  private static func shown(_ ones: [[UInt8]], _ others: [[UInt8]]) -> [Int] {
    func isFlat(_ places: [Int]) -> Bool {
      [ones, others].allSatisfy { lines in
        let cells = places.flatMap { lines[$0] }.map(Int.init)
        return (cells.max() ?? 0) - (cells.min() ?? 0) <= 4
      }
    }
    let pairs = zip(ones.indices, ones.indices.dropFirst()).map { [$0, $1] }
    let edges = [[0], [ones.count - 1]]
    let bars = Set((pairs + edges).filter(isFlat).flatMap(\.self))
    return ones.indices.filter { bars.isDisjoint(with: [$0 - 1, $0, $0 + 1]) }
  }

  /// The rounded means of the cells of a picture to which lines of another are enlarged, by a common multiple of both.
  private static func part(_ luma: [UInt8], _ rows: [Int], _ columns: [Int]) -> [UInt8] {
    (0..<Fingerprint.lumaCount).map { index in
      let (y, x) = (index / Fingerprint.columns, index % Fingerprint.columns)
      var sum = 0
      for row in y * rows.count..<(y + 1) * rows.count {
        for column in x * columns.count..<(x + 1) * columns.count {
          sum += Int(
            luma[rows[row / Fingerprint.rows] * Fingerprint.columns + columns[column / Fingerprint.columns]])
        }
      }
      return UInt8((Double(sum) / Double(rows.count * columns.count)).rounded())
    }
  }

  /// The greatest correlation of the second picture, in five sizes, with a part of the first one.
  static func correlation(_ large: [UInt8], _ small: [UInt8]) -> Double {
    let (columns, rows) = (Fingerprint.columns, Fingerprint.rows)
    var best = -1.0
    for (width, height) in [(28, 21), (29, 22), (30, 22), (31, 23), (columns, rows)] {
      let reduced = reduce(small, width, height)
      for top in 0...(rows - height) {
        for left in 0...(columns - width) {
          var part: [Double] = []
          for y in top..<(top + height) {
            for x in left..<(left + width) { part.append(Double(large[y * columns + x])) }
          }
          if let value = pearson(part, reduced) { best = max(best, value) }
        }
      }
    }
    return best
  }

  /// The rounded means of width × height cells.
  private static func reduce(_ luma: [UInt8], _ width: Int, _ height: Int) -> [Double] {
    let (columns, rows) = (Fingerprint.columns, Fingerprint.rows)
    func overlap(_ index: Int, _ count: Int, _ cell: Int, _ cells: Int) -> Int {
      max(0, min((index + 1) * cells, (cell + 1) * count) - max(index * cells, cell * count))
    }
    var means: [Double] = []
    for row in 0..<height {
      for column in 0..<width {
        var sum = 0
        for y in 0..<rows {
          for x in 0..<columns {
            sum +=
              Int(luma[y * columns + x]) * overlap(x, columns, column, width) * overlap(y, rows, row, height)
          }
        }
        means.append(Double((2 * sum + columns * rows) / (2 * columns * rows)))
      }
    }
    return means
  }

  /// Pearson's correlation coefficient; nil if one of the variables is constant.
  private static func pearson(_ one: [Double], _ other: [Double]) -> Double? {
    let (count, meanOne, meanOther) = (
      Double(one.count), one.reduce(0, +) / Double(one.count), other.reduce(0, +) / Double(other.count)
    )
    var (covariance, varianceOne, varianceOther) = (0.0, 0.0, 0.0)
    for (x, y) in zip(one, other) {
      covariance += (x - meanOne) * (y - meanOther)
      varianceOne += (x - meanOne) * (x - meanOne)
      varianceOther += (y - meanOther) * (y - meanOther)
    }
    guard varianceOne > 1e-6 * count, varianceOther > 1e-6 * count else { return nil }
    return covariance / (varianceOne * varianceOther).squareRoot()
  }
}
