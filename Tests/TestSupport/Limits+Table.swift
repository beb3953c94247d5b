package import Operations

extension Limits {
  /// All limits with their names.
  package static var table: [(name: String, limit: WritableKeyPath<Limits, Int> & Sendable)] {
    [
      ("entries", \.maximumEntries),
      ("bytes of the directory", \.maximumDirectoryBytes),
      ("bytes", \.maximumBytes),
      ("bytes of a document", \.maximumDocumentBytes),
      ("nesting of a document", \.maximumNesting),
    ]
  }

  /// Returns the limits with another value of one limit.
  package func with(_ limit: WritableKeyPath<Limits, Int>, _ value: Int) -> Limits {
    var limits = self
    limits[keyPath: limit] = value
    return limits
  }
}
