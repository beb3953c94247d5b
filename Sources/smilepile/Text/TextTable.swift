/// Rows of text with aligned columns. Each column is as wide as its widest cell.
struct TextTable {
  enum Alignment {
    case left, right
  }

  /// The alignment of each column.
  private let columns: [Alignment]
  private let rows: [[String]]
  /// The number of spaces before the first column.
  private let indentation: Int

  /// - Parameter rows: escaped texts, one for each column.
  init(_ columns: Alignment..., indentation: Int = 0, rows: [[String]]) {
    self.columns = columns
    self.rows = rows
    self.indentation = indentation
  }

  /// The lines, without a line feed at the end of the last one; nil if there are no rows. Columns are two spaces apart.
  var text: String? {
    guard !rows.isEmpty else { return nil }
    var widths = columns.map { _ in 0 }
    for row in rows {
      for (index, cell) in row.enumerated() { widths[index] = max(widths[index], cell.displayWidth) }
    }
    let margin = String(repeating: " ", count: indentation)
    return rows.map { margin + line($0, widths) }.joined(separator: "\n")
  }

  /// Joins the cells of a row. No spaces follow a left-aligned last cell.
  private func line(_ row: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in row.enumerated() {
      let padding = String(repeating: " ", count: widths[index] - cell.displayWidth)
      if index > 0 { line += "  " }
      switch columns[index] {
      case .right: line += padding + cell
      case .left: line += index < row.count - 1 ? cell + padding : cell
      }
    }
    return line
  }
}
