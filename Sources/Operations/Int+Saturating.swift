/// Arithmetic for numbers that a file declares, which may have any value. A result that exceeds the range is `Int.max`.
/// The operands must not be negative.
extension Int {
  /// Returns the sum.
  package func saturated(plus other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }

  /// Returns the product.
  package func saturated(times factor: Int) -> Int {
    let (product, isOver) = multipliedReportingOverflow(by: factor)
    return isOver ? .max : product
  }
}

extension Sequence {
  /// Returns the sum of a number of each element.
  package func saturatedSum(_ number: (Element) -> Int) -> Int {
    reduce(0) { $0.saturated(plus: number($1)) }
  }
}
