import Operations
import SystemPackage

/// How photos are added.
public struct AddOptions: Sendable {
  /// The category, as the app shows it; nil for the name of the folder that a photo lies in.
  public var category: String?
  /// Finds and counts, and writes nothing.
  public var isDryRun = false
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero

  /// The defaults: categories by folder.
  public init() {}
}

/// What an `add` did.
public struct AddSummary: Sendable, Equatable {
  /// Categories that are new.
  public var categoriesAdded = 0
  /// Photos that are new.
  public var photosAdded = 0
  /// Photos whose bytes their category holds already.
  public var photosSkipped = 0
  /// Bytes of the new photos.
  public var bytes = 0
  /// Files that could not be added; each by name, with the reason.
  public var errors: [Finding] = []
  /// What was left out of folders, and names in which the library replaces invalid bytes by U+FFFD; each by name.
  public var warnings: [String] = []
  /// Nothing was written.
  public var isDryRun = false
}
