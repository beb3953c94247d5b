import Operations

/// The status of a photo's file.
struct PhotoFile: Sendable {
  /// The length in bytes.
  var size: Int
  /// The date.
  var modified: Timestamp
}

/// Why a photo's file cannot be archived.
package struct MissingPhoto: Error, Sendable {
  /// The reason for a message.
  package var reason: String

  /// Makes a value.
  init(_ reason: String) { self.reason = reason }
}
