/// Parses JSON numbers that have a fraction or an exponent but may be integers: `1.0`, `25e1`.
enum JSONNumber {
  enum Fault: Error {
    /// The number is not an integer.
    case isFraction
    /// The number does not fit into 64 bits.
    case isTooLarge
  }

  /// Returns the exact magnitude of a number. Reads the digits one by one, however many there are, and never
  /// computes a power of ten.
  static func wholeNumber(_ number: UnsafeBufferPointer<UInt8>) -> Result<UInt64, Fault> {
    let exponentMark = number.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? number.endIndex
    let mantissa = number[..<exponentMark]
    let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.endIndex
    // the position of the decimal point among the digits once the exponent is 0
    let digits = mantissa.lazy.filter(\.isDigit).map { $0 - UInt8(ascii: "0") }
    guard digits.contains(where: { $0 != 0 }) else { return .success(0) }
    let whole = mantissa[..<point].lazy.filter(\.isDigit).count
    let (end, isOver) = whole.addingReportingOverflow(exponent(number[exponentMark...]))
    guard !isOver else { return .failure(.isTooLarge) }

    var value: UInt64 = 0
    var count = 0
    for digit in digits {
      if count < end {
        guard add(digit, to: &value) else { return .failure(.isTooLarge) }
      } else if digit != 0 {
        return .failure(.isFraction)
      }
      count += 1
    }
    // zeroes that the exponent adds; a nonzero value soon overflows
    while value != 0, count < end {
      guard add(0, to: &value) else { return .failure(.isTooLarge) }
      count += 1
    }
    return .success(value)
  }

  private static func add(_ digit: UInt8, to value: inout UInt64) -> Bool {
    let (tens, isOver) = value.multipliedReportingOverflow(by: 10)
    let (sum, isOverToo) = tens.addingReportingOverflow(UInt64(digit))
    value = sum
    return !isOver && !isOverToo
  }

  /// Returns the exponent, limited to more than a document's digits could compensate.
  private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let magnitude = text.lazy.filter(\.isDigit).reduce(0) { sum, digit in
      min(sum * 10 + Int(digit - UInt8(ascii: "0")), 1 << 40)
    }
    return text.contains(UInt8(ascii: "-")) ? -magnitude : magnitude
  }
}

extension UInt8 {
  /// True for an ASCII digit.
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension FixedWidthInteger {
  /// Makes a number of its sign and magnitude. Returns nil if it does not fit.
  init?(isNegative: Bool, _ magnitude: UInt64) {
    if isNegative {
      // the least number has no positive counterpart
      guard magnitude <= Int64.min.magnitude else { return nil }
      self.init(exactly: Int64(truncatingIfNeeded: 0 &- magnitude))
    } else {
      self.init(exactly: magnitude)
    }
  }
}
