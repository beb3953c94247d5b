/// One fact about an archive file, as an operation found it. The ledger only ever appends observations.
public struct Observation: Sendable, Equatable {
  /// What an operation found.
  public enum Event: Sendable, Equatable {
    /// Every byte was read, and every checksum matches.
    case verified
    /// Photos were restored from it, and all of them matched.
    case restored(Coverage)
    /// It could not be read, or a checksum does not match. The reason is one line for the user.
    case foundDamaged(reason: String)
    /// Its disk is not mounted, or its folder is missing.
    case unreachable
  }

  /// How much of an archive was restored.
  public enum Coverage: String, Sendable, CaseIterable {
    /// Some photos.
    case sample
    /// Every photo.
    case all
  }

  /// What was found.
  public var event: Event
  /// The ledger's position when the operation began to read.
  public var begun: LedgerPosition
  /// The ledger's position when the observation was recorded.
  public var recorded: LedgerPosition
  /// When it was recorded, in milliseconds since 1970: for display only, since clocks jump.
  public var at: Int64

  /// Makes a value of these parts.
  public init(_ event: Event, begun: LedgerPosition, recorded: LedgerPosition, at: Int64) {
    (self.event, self.begun, self.recorded, self.at) = (event, begun, recorded, at)
  }
}

/// A moment in a ledger, by the number of entries that it had. Orders events without a clock.
public struct LedgerPosition: Sendable, Hashable, Comparable, Codable {
  /// How many entries the ledger has had.
  public let number: Int64

  /// Makes a position.
  public init(_ number: Int64) { self.number = number }

  /// Returns whether the first moment is before the second.
  public static func < (one: Self, other: Self) -> Bool { one.number < other.number }
}
