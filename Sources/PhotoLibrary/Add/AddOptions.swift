import FileSystem
import Operations
import SystemPackage

/// Options of `add`.
public struct AddOptions: Sendable {
  /// The displayed name of the category; nil for the name of each photo's folder.
  public var category: String?
  /// Paths that the caller could not use. They are reported like files that cannot be read.
  public var unusable: [AddFailure] = []
  /// Only reports what would be added.
  public var isDryRun = false
  /// Describes each photo in the summary.
  public var reportsPhotos = false
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// Records the operation.
  public var recorder: (any OperationRecorder)?

  /// The defaults: categories by folder.
  public init() {}
}

/// The result of `add`.
public struct AddSummary: Sendable, Equatable, FindingReport {
  /// New categories.
  public var categoriesAdded = 0
  /// New photos.
  public var photosAdded = 0
  /// Photos whose content their category has already.
  public var photosSkipped = 0
  /// Photos of the library whose files were missing, and were restored from files that are not skipped.
  public var photosRestored = 0
  /// Bytes of the new photos.
  public var bytes = 0
  /// Files that could not be added, with the reasons.
  public var errors: [Finding] = []
  /// Restored photos, files in folders that are not added, and names in which the library replaces invalid bytes by
  /// U+FFFD.
  public var warnings: [String] = []
  /// What happened to each photo, with `AddOptions.reportsPhotos`.
  public var photoReports: [PhotoReport] = []
  /// Nothing was written.
  public var isDryRun = false

  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding] { errors }
}

extension AddSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(
        photos: photosAdded, categories: categoriesAdded, bytes: bytes, skipped: photosSkipped),
      findings: findings, isIncomplete: !errors.isEmpty)
  }
}

/// A file or folder that could not be added.
public struct AddFailure: Sendable, Equatable {
  /// The file or folder.
  public var path: FilePath
  /// The path with the reason.
  public var finding: Finding

  /// Makes a failure with a complete message.
  public init(_ path: FilePath, message: String) {
    (self.path, finding) = (path, Finding(.file("\(path)".escaped), message: message.escaped))
  }

  /// Makes the failure of a file that cannot be read.
  init(_ error: FileError) {
    (path, finding) = (error.path, Finding(.file("\(error.path)".escaped), message: error.description))
  }

  /// Returns what happened to the photo.
  ///
  /// - Parameter category: the displayed name of its category; nil if it is not known.
  func report(category: String?) -> PhotoReport {
    PhotoReport(
      .leftOut, finding.subject, name: path.stem ?? path.string, category: category, from: path.string,
      reason: finding.message)
  }
}
