/// A number with its noun, for messages: `1 photo`, `2 photos`.
package struct Count: CustomStringConvertible {
  /// The number.
  package let number: Int
  let singular: String
  let plural: String

  package init(_ number: Int, _ singular: String, _ plural: String? = nil) {
    self.number = number
    self.singular = singular
    self.plural = plural ?? singular + "s"
  }

  package var description: String { "\(number) \(noun)" }

  /// The noun in the singular or plural.
  package var noun: String { number == 1 ? singular : plural }
}
