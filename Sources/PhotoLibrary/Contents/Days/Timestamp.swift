import Foundation
import Operations

/// The type of all times of a library, so that clients need not import `Operations` for it.
public typealias Timestamp = Operations.Timestamp

extension Timestamp {
  /// The time zone of this machine, looked up once for all photos.
  private static let localZone = TimeZone.current

  /// The day in the time zone of this machine: `2025-10-03`.
  package var localDay: String { "\(CivilDay(of: self, in: Self.localZone))" }
}
