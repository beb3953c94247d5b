import Foundation

/// Writes a value as one line of JSON.
enum JSONLine {
  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    // Equal values give equal lines. People read paths too.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // JSON has no infinity; a message about a fault must not fail for one.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }
    return encoder
  }()

  /// Returns the value on one line, without a line feed at its end: keys sorted and in snake case (`archiveID` is
  /// `archive_id`), dates as whole milliseconds since 1970.
  ///
  /// - Throws: errors of the value's own encoding.
  static func text(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

/// A property that is `null` in JSON if it has no value. The key of an optional property is left out instead.
@propertyWrapper
struct Null<Value: Encodable & Sendable>: Encodable, Sendable {
  var wrappedValue: Value?

  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}
