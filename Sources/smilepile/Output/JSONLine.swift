import Foundation

/// Writes a value as one line of JSON.
enum JSONLine {
  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    // equal values give equal lines; paths stay readable
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // JSON has no infinity, and a message about a fault must not fail because of one
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }
    return encoder
  }()

  /// Returns the value on one line, without a line feed at the end. Keys are sorted and in snake case
  /// (`archiveID` is `archive_id`), dates are integer milliseconds since 1970.
  ///
  /// - Throws: the errors of the value's encoding.
  static func text(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

/// A property that is `null` in JSON if it has no value. JSON omits an optional property instead.
@propertyWrapper
struct Null<Value: Encodable & Sendable>: Encodable, Sendable {
  var wrappedValue: Value?

  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}
