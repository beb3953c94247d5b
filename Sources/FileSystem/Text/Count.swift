/// A number with its noun, for messages: `1 photo`, `2 photos`.
package struct Count: CustomStringConvertible {
  let number: Int
  let singular: String
  let plural: String

  package init(_ number: Int, _ singular: String, _ plural: String? = nil) {
    self.number = number
    self.singular = singular
    self.plural = plural ?? singular + "s"
  }

  package var description: String { "\(number) \(noun)" }

  /// The text with commas in the number, for pages: `12,345 photos`.
  package var grouped: String { "\(number.grouped) \(noun)" }

  private var noun: String { number == 1 ? singular : plural }
}

extension Int {
  /// The number with commas: `12,345`.
  package var grouped: String {
    let digits = String(magnitude)
    let groups = digits.indices.map { index in
      let rest = digits.distance(from: index, to: digits.endIndex)
      return (rest.isMultiple(of: 3) && index > digits.startIndex ? "," : "") + String(digits[index])
    }
    return (self < 0 ? "-" : "") + groups.joined()
  }
}
