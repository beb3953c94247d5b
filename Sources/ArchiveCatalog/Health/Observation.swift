/// A fact that an operation found about an archive file. The ledger appends observations and never changes them.
public struct Observation: Sendable, Equatable {
  /// What an operation found.
  public enum Event: Sendable, Equatable {
    /// Every byte was read, and every checksum matches.
    case verified
    /// Photos were restored from the file, and every restored photo matched.
    case restored(Coverage)
    /// The file cannot be read, or a checksum does not match. The reason is one line for the user.
    case foundDamaged(reason: String)
    /// The disk is not mounted, or the folder is missing.
    case unreachable
  }

  /// How much of an archive was restored.
  public enum Coverage: String, Sendable, CaseIterable {
    /// Some photos.
    case sample
    /// Every photo.
    case all
  }

  /// What the operation found.
  public var event: Event
  /// The ledger's position when the operation began to read.
  public var begun: LedgerPosition
  /// The ledger's position when the observation was recorded.
  public var recorded: LedgerPosition
  /// When the observation was recorded. For display only: clocks jump.
  public var at: Timestamp

  /// Makes an observation.
  public init(_ event: Event, begun: LedgerPosition, recorded: LedgerPosition, at: Timestamp) {
    (self.event, self.begun, self.recorded, self.at) = (event, begun, recorded, at)
  }
}

/// A moment in the life of a ledger, given by the number of its entries. Orders events without a clock.
public struct LedgerPosition: Sendable, Hashable, Comparable, Codable {
  /// The number of entries that the ledger has had.
  public let number: Int64

  /// The positions of entries. No ledger has as many.
  static let range: ClosedRange<Int64> = 0...1 << 53

  /// Makes a position.
  public init(_ number: Int64) { self.number = number }

  /// Returns true if the first moment is before the second.
  public static func < (one: Self, other: Self) -> Bool { one.number < other.number }
}
