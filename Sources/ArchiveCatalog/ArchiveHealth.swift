/// What the ledger's observations say about one version of an archive file: a pure function of the log.
///
/// | before \ event | verified, or restored: all | found damaged | restored: sample, or unreachable |
/// |---|---|---|---|
/// | unverified | verified | suspect | unverified |
/// | verified | verified, at the later time | suspect | verified |
/// | suspect | verified if the reading began after the last damage was recorded, else suspect | suspect since the first time, with the last reason | suspect |
///
/// A reading that began earlier may have read the bytes before they were damaged, so it proves nothing about the damage.
public enum ArchiveHealth: Sendable, Equatable {
  /// No operation has read the whole file as it is now.
  case unverified
  /// The last complete reading, at this time in milliseconds since 1970, found every checksum right.
  case verified(at: Int64)
  /// An operation found it damaged at this time, in milliseconds since 1970, and none has verified it since.
  case suspect(since: Int64, reason: String)

  /// Derives the health.
  ///
  /// - Parameter log: the observations of one version of a file, in the order in which they were recorded.
  public init(_ log: some Sequence<Observation>) {
    self = log.reduce(into: Folded()) { $0.apply($1) }.health
  }

  private struct Folded {
    var health = ArchiveHealth.unverified
    var lastDamage: LedgerPosition?

    mutating func apply(_ observation: Observation) {
      switch observation.event {
      case .restored(.sample), .unreachable: break
      case .verified, .restored(.all):
        if case .suspect = health, let lastDamage, observation.begun < lastDamage { return }
        health = .verified(at: observation.at)
      case .foundDamaged(let reason):
        lastDamage = observation.recorded
        if case .suspect(let since, _) = health {
          health = .suspect(since: since, reason: reason)
        } else {
          health = .suspect(since: observation.at, reason: reason)
        }
      }
    }
  }

  /// True if an operation found it damaged, and none has verified it since.
  public var isSuspect: Bool {
    if case .suspect = self { true } else { false }
  }

  /// Since when it is suspect, in milliseconds since 1970; nil if it is not.
  public var suspectSince: Int64? {
    if case .suspect(let since, _) = self { since } else { nil }
  }

  /// When it was verified, in milliseconds since 1970; nil if it is unverified or suspect.
  public var verifiedAt: Int64? {
    if case .verified(let at) = self { at } else { nil }
  }
}
