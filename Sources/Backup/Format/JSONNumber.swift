/// Numbers of JSON that are written with a fraction or an exponent and may be whole all the same: `1.0`, `25e1`.
enum JSONNumber {
  enum Fault: Error {
    /// It is no whole number.
    case isFraction
    /// It does not fit into 64 bits.
    case isTooLarge
  }

  /// The magnitude of a number, exactly. Its digits are looked at one by one, however many there are, and no power
  /// of ten is ever built.
  static func wholeNumber(_ number: UnsafeBufferPointer<UInt8>) -> Result<UInt64, Fault> {
    let exponentMark = number.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? number.endIndex
    let mantissa = number[..<exponentMark]
    let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.endIndex
    // where the point would stand among the digits with an exponent of 0
    let digits = mantissa.lazy.filter { isDigit($0) }.map { $0 - UInt8(ascii: "0") }
    guard digits.contains(where: { $0 != 0 }) else { return .success(0) }
    let whole = mantissa[..<point].lazy.filter { isDigit($0) }.count
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
    // zeroes that the exponent adds; a value that is not 0 is soon too large
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

  /// Cut where it is beyond anything that a document's digits could make up for.
  private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let magnitude = text.lazy.filter { isDigit($0) }.reduce(0) { sum, digit in
      min(sum * 10 + Int(digit - UInt8(ascii: "0")), 1 << 40)
    }
    return text.contains(UInt8(ascii: "-")) ? -magnitude : magnitude
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
