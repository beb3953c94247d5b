/// What keeps a child from seeing or deleting what it should not.
public enum Protection: Sendable, CaseIterable {
  /// Photos cannot be deleted without a parent.
  case deleteProtection
  /// The child sees photos and nothing else.
  case kidSafeMode
  /// The child cannot use the camera.
  case cameraBlock
  /// The library's own PIN.
  case pin

  /// The name in a sentence for a person: `kid-safe mode`.
  public var label: String {
    switch self {
    case .deleteProtection: "delete protection"
    case .kidSafeMode: "kid-safe mode"
    case .cameraBlock: "the camera block"
    case .pin: "the PIN"
    }
  }
}

extension Settings {
  /// Lists the protections that are on here and off in `other`.
  func protections(loweredBy other: Settings) -> [Protection] {
    var lowered: [Protection] = []
    if deleteProtectionEnabled, !other.deleteProtectionEnabled { lowered.append(.deleteProtection) }
    if kidSafeModeEnabled, !other.kidSafeModeEnabled { lowered.append(.kidSafeMode) }
    if !cameraAccessAllowed, other.cameraAccessAllowed { lowered.append(.cameraBlock) }
    return lowered
  }
}

/// An operation on a library, with what it takes away: the question for a confirmation states it.
public struct DestructiveOperation: Sendable, Equatable {
  /// What is done, in the infinitive, with its consequences: `remove 12 photos`.
  public var description: String
  /// What goes.
  public var removal: Removal
  /// The protections that are off afterwards.
  public var lowered: [Protection]

  /// Describes an operation.
  public init(_ description: String, removes removal: Removal = Removal(), lowers lowered: [Protection] = [])
  {
    self.description = description
    self.removal = removal
    self.lowered = lowered
  }

  /// Whether the operation takes anything away. One that does not is never asked about.
  public var takesAway: Bool { !removal.isEmpty || !lowered.isEmpty }
}
