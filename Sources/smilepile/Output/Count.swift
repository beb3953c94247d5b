/// A number with its noun: `1 photo`, `2 photos`.
struct Count: CustomStringConvertible {
  let number: Int
  let singular: String
  let plural: String

  init(_ number: Int, _ singular: String, _ plural: String? = nil) {
    self.number = number
    self.singular = singular
    self.plural = plural ?? singular + "s"
  }

  var description: String { "\(number) \(number == 1 ? singular : plural)" }
}
