import Operations
import SystemPackage

/// Options of `add`.
public struct AddOptions: Sendable {
  /// The displayed name of the category; nil for the name of each photo's folder.
  public var category: String?
  /// Only reports what would be added.
  public var isDryRun = false
  /// Describes each photo in the summary.
  public var reportsPhotos = false
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero

  /// The defaults: categories by folder.
  public init() {}
}

/// The result of `add`.
public struct AddSummary: Sendable, Equatable {
  /// New categories.
  public var categoriesAdded = 0
  /// New photos.
  public var photosAdded = 0
  /// Photos whose content their category has already.
  public var photosSkipped = 0
  /// Bytes of the new photos.
  public var bytes = 0
  /// Files that could not be added, with the reasons.
  public var errors: [Finding] = []
  /// Files in folders that are not added, and names in which the library replaces invalid bytes by U+FFFD.
  public var warnings: [String] = []
  /// What happened to each photo, with `AddOptions.reportsPhotos`.
  public var photoReports: [PhotoReport] = []
  /// Nothing was written.
  public var isDryRun = false
}

extension PhotoReport {
  /// Makes the report of a file that could not be added.
  public init(leftOut finding: Finding) {
    self.init(
      .leftOut, finding.item, name: FilePath(finding.item).stem ?? finding.item, category: nil,
      from: finding.item, reason: finding.message)
  }
}
