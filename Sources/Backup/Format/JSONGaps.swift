import FileSystem
import Operations

/// A missing part of a document. The reader continues without it.
enum JSONGap: Equatable {
  /// A row lacks a property; the row is left out.
  case row(String, lacks: String)
  /// A list is missing; it counts as empty.
  case list(String)
}

/// The missing parts of a document. A document may have millions, so only the first ones are kept.
struct JSONGaps {
  private var gaps = BoundedList<JSONGap>()

  mutating func add(_ gap: @autoclosure () -> JSONGap) { gaps.append(gap()) }

  var isEmpty: Bool { gaps.isEmpty }

  /// A finding for each part that is kept, and one for all others.
  var findings: [Finding] {
    let findings = gaps.first.map { gap in
      switch gap {
      case .row(let row, let key): Finding(.entry(row), message: "\(row) has no \(key); the row was skipped")
      case .list(let name): Finding(.entry(name), message: "the list “\(name)” is missing")
      }
    }
    guard gaps.others > 0 else { return findings }
    let message =
      "\(Count(gaps.others, "more row lacks a property and was", "more rows lack a property and were")) skipped"
    return findings + [Finding(.entry("metadata.json"), message: message)]
  }
}
