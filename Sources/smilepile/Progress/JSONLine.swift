import Foundation

/// Writes a value as one line of JSON.
enum JSONLine {
  /// The value on one line, without a line feed at its end: keys sorted, so that equal values give equal
  /// lines; slashes not escaped, since paths are read by people too; dates as whole ms since 1970.
  ///
  /// - Throws: what the value's own encoding throws.
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // JSON has no infinity; a message about a fault must not fail for one.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
