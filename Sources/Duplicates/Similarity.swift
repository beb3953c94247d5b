/// A similarity as text: `97.4 %`. Rounded down, so that it never seems to reach a threshold that it does not reach.
package struct Similarity: Sendable, CustomStringConvertible {
  private let thousandths: Int

  /// - Parameter value: from -1 to 1.
  package init(_ value: Double) { thousandths = Int((max(0, min(1, value)) * 1000).rounded(.down)) }

  /// The percentage with one decimal.
  package var description: String { "\(thousandths / 10).\(thousandths % 10) %" }
}
