import Operations

/// The type of all times of a library, so that clients need not import `Operations` for it.
public typealias Timestamp = Operations.Timestamp

extension Timestamp {
  /// The day in the time zone of this machine: `2025-10-03`.
  package var localDay: String { "\(CivilDay(of: self, in: .current))" }
}
