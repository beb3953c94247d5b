/// The health of one version of an archive file: a pure function of the ledger's observations.
///
/// | before \ event | verified, or restored: all | found damaged | restored: sample, or unreachable |
/// |---|---|---|---|
/// | unverified | verified | suspect | unverified |
/// | verified | verified, at the later time | suspect | verified |
/// | suspect | verified if the operation began after the last damage was recorded, otherwise suspect | suspect since the first time, with the last reason | suspect |
///
/// An operation that began earlier may have read the bytes before the damage, so its result does not clear the damage.
public enum ArchiveHealth: Sendable, Equatable {
  /// No operation has read this version of the file completely.
  case unverified
  /// An operation read the complete file at this time, and every checksum matched.
  case verified(at: Timestamp)
  /// An operation found the file damaged at this time, and no operation has verified the file since.
  case suspect(since: Timestamp, reason: String)

  /// Derives the health.
  ///
  /// - Parameter log: the observations of one version of a file, in the order in which they were recorded.
  public init(_ log: some Sequence<Observation>) {
    self = .unverified
    var lastDamage: LedgerPosition?
    for observation in log {
      switch observation.event {
      case .restored(.sample), .unreachable: break
      case .verified, .restored(.all):
        if isSuspect, let lastDamage, observation.begun < lastDamage { continue }
        self = .verified(at: observation.at)
      case .foundDamaged(let reason):
        lastDamage = observation.recorded
        self = .suspect(since: suspectSince ?? observation.at, reason: reason)
      }
    }
  }

  /// Returns the health of several files together: suspect since the first of them, or verified at the earliest time.
  package init(ofAll files: [ArchiveHealth]) {
    let suspects = files.filter(\.isSuspect)
    let verifiedAt = files.compactMap(\.verifiedAt)
    if let first = suspects.min(by: { ($0.suspectSince ?? 0) < ($1.suspectSince ?? 0) }) {
      self = first
    } else if let earliest = verifiedAt.min(), verifiedAt.count == files.count {
      self = .verified(at: earliest)
    } else {
      self = .unverified
    }
  }

  /// True if an operation found the file damaged and no operation has verified the file since.
  public var isSuspect: Bool {
    if case .suspect = self { true } else { false }
  }

  /// When the file became suspect; nil if it is not suspect.
  public var suspectSince: Timestamp? {
    if case .suspect(let since, _) = self { since } else { nil }
  }

  /// What was found; nil if the file is not suspect.
  package var suspectReason: String? {
    if case .suspect(_, let reason) = self { reason } else { nil }
  }

  /// When the file was verified; nil if it is unverified or suspect.
  public var verifiedAt: Timestamp? {
    if case .verified(let at) = self { at } else { nil }
  }
}
