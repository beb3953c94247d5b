/// The times when selected photos were taken.
public struct TakenRange: Sendable, Equatable {
  /// The earliest time; nil for no limit.
  public var since: Timestamp?
  /// The time before which photos were taken; nil for no limit.
  public var until: Timestamp?

  /// Makes a range; without arguments, of all times.
  public init(since: Timestamp? = nil, until: Timestamp? = nil) { (self.since, self.until) = (since, until) }

  /// True if the range has no limit.
  public var isUnlimited: Bool { since == nil && until == nil }

  /// True if no time is in the range.
  package var isEmpty: Bool { if let since, let until { until <= since } else { false } }

  /// Returns true if a time is in the range.
  public func contains(_ time: Timestamp) -> Bool {
    since.map { time >= $0 } ?? true && until.map { time < $0 } ?? true
  }
}
