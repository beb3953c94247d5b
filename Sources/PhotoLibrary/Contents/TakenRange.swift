/// The times when selected photos were taken, in milliseconds since 1970.
public struct TakenRange: Sendable, Equatable {
  /// The earliest time; nil for no limit.
  public var since: Int64?
  /// The time before which photos were taken; nil for no limit.
  public var until: Int64?

  /// Makes a range; without arguments, of all times.
  public init(since: Int64? = nil, until: Int64? = nil) { (self.since, self.until) = (since, until) }

  /// True if the range has no limit.
  public var isUnlimited: Bool { since == nil && until == nil }

  /// True if no time is in the range.
  package var isEmpty: Bool { if let since, let until { until <= since } else { false } }

  /// Returns true if a time is in the range.
  public func contains(_ time: Int64) -> Bool {
    since.map { time >= $0 } ?? true && until.map { time < $0 } ?? true
  }
}
