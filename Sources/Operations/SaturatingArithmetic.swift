/// Numbers of what a file declares, which may say anything: where the result is more than a number holds, it is the
/// largest one. Neither side is negative.
extension Int {
  /// The sum.
  package func saturated(plus other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }

  /// The product.
  package func saturated(times factor: Int) -> Int {
    let (product, isOver) = multipliedReportingOverflow(by: factor)
    return isOver ? .max : product
  }
}
