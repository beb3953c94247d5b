import Foundation

/// A document of `docs/`, which tests compare with the program.
package struct Document: Sendable {
  /// A table and the heading above it.
  package struct Table: Sendable {
    /// The heading, without its `#`.
    package let heading: String
    /// The cells of each row, without the head.
    package var rows: [[String]] = []
  }

  /// The tables, in the order of the document.
  package let tables: [Table]
  /// The text of the document.
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

  /// Returns the parts of a text that are code, between backquotes.
  package static func code(in text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }
}
