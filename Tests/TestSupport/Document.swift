import Foundation

/// A document of `docs/`, which tests hold against what the program does.
package struct Document: Sendable {
  /// One table, below the heading that it follows.
  package struct Table: Sendable {
    /// The heading, without its `#`.
    package let heading: String
    /// The cells of each row; the head is left out.
    package var rows: [[String]] = []
  }

  /// The tables, in the document's order.
  package let tables: [Table]
  /// All of it.
  package let text: String

  /// Reads a document of `docs/`.
  package init(_ name: String) throws {
    text = try Self.text(name)
    var tables: [Table] = []
    var heading = ""
    var wasRow = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let isRow = line.hasPrefix("|")
      defer { wasRow = isRow }
      if line.hasPrefix("#") { heading = line.drop { "# ".contains($0) }.description }
      guard isRow else { continue }
      if !wasRow {
        tables.append(Table(heading: heading))
      } else if !line.hasPrefix("|-") {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        tables[tables.count - 1].rows.append(cells)
      }
    }
    self.tables = tables
  }

  /// The rows of the tables below a heading.
  package func rows(below heading: String) -> [[String]] {
    tables.filter { $0.heading == heading }.flatMap(\.rows)
  }

  /// The text of a file of `docs/`.
  package static func text(_ name: String) throws -> String {
    let path = Fixture.path("../docs/\(name)").string
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  /// What stands in a text as code: `` `so` ``.
  package static func code(in text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }
}
