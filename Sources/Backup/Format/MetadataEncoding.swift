import Foundation

extension Metadata {
  /// The document as both apps read it: every property written out, but nothing for a nil `iconResource`,
  /// `colorHex` or `checksum`, as on iOS. UTF-8, keys sorted, indented.
  public func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    return try Array(encoder.encode(self))
  }
}
