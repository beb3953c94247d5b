import FileSystem
import Operations

/// The missing parts of a document, without which the reader continues. A document may have millions, so only the first
/// ones are kept.
struct JSONGaps {
  private var gaps = BoundedList<Finding>()

  /// Notes that a row lacks a property; the row is left out.
  mutating func add(row: @autoclosure () -> String, lacks key: StaticString) {
    func finding() -> Finding {
      let row = row()
      return Finding(.entry(row), message: "\(row) has no \(key); the row was skipped")
    }
    gaps.append(finding())
  }

  /// Notes that a list is missing; it counts as empty.
  mutating func add(list name: StaticString) {
    gaps.append(Finding(.entry("\(name)"), message: "the list “\(name)” is missing"))
  }

  var isEmpty: Bool { gaps.isEmpty }

  /// A finding for each part that is kept, and one for all others.
  var findings: [Finding] {
    gaps.elements { count in
      let rows = Count(count, "more row lacks a property and was", "more rows lack a property and were")
      return Finding(.entry("metadata.json"), message: "\(rows) skipped")
    }
  }
}
