/// A setting or a PIN that restricts what a child sees or deletes.
public enum Protection: Sendable, CaseIterable {
  /// Photos cannot be deleted without a parent.
  case deleteProtection
  /// The child sees photos and nothing else.
  case kidSafeMode
  /// The child cannot use the camera.
  case cameraBlock
  /// The library's own PIN.
  case pin

  /// The name in a sentence for the user: `kid-safe mode`.
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

/// Files that an operation deletes, and that are not those of photos in the library.
public enum DiscardedFiles: Sendable, Equatable {
  /// Files that no operation needs. Deleting them needs no PIN.
  case unneeded
  /// Files that an undo would bring back.
  case keptForUndo
  /// Corrupt files that repairs replaced.
  case quarantined
}

/// An operation that removes photos or categories, deletes files, turns off a protection or resets settings, for the
/// question of a confirmation.
public struct DestructiveOperation: Sendable, Equatable {
  /// The operation and its effects, in the infinitive: `remove 12 photos`.
  public var description: String
  /// The photos and categories that it removes.
  public var removal: Removal
  /// The protections that it turns off.
  public var lowered: [Protection]
  /// True if it resets settings to their defaults.
  public var resetsSettings: Bool
  /// The other files that it deletes; nil if it deletes none.
  public var discarded: DiscardedFiles?
  /// The number of photos that a person types to confirm the operation; nil if yes is enough.
  public var photosToConfirm: Int?

  /// Describes an operation.
  public init(
    _ description: String, removes removal: Removal = Removal(), lowers lowered: [Protection] = [],
    resetsSettings: Bool = false, discards discarded: DiscardedFiles? = nil, photosToConfirm: Int? = nil
  ) {
    self.description = description
    self.removal = removal
    self.lowered = lowered
    self.resetsSettings = resetsSettings
    self.discarded = discarded
    self.photosToConfirm = photosToConfirm
  }

  /// True if the operation removes, deletes, turns off or resets anything. Only then it needs a confirmation.
  public var needsConfirmation: Bool {
    !removal.isEmpty || !lowered.isEmpty || resetsSettings || discarded != nil || photosToConfirm != nil
  }

  /// True if the operation needs the PIN where delete protection is on and the library has a PIN.
  var needsPIN: Bool { !removal.isEmpty || !lowered.isEmpty || discarded != .unneeded }
}
