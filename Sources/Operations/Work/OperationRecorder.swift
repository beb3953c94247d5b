import SystemPackage

/// Records operations and their results, for example in a ledger.
public protocol OperationRecorder: Sendable {
  /// Performs an operation on this thread, and records its start and its end. Blocks. A recorder never stops the operation.
  func recording<Summary: RecordedSummary>(
    _ operation: RecordedOperation, _ body: () throws -> Summary
  ) throws -> Summary
}

/// An operation that is about to begin.
public struct RecordedOperation: Sendable {
  /// What an operation does.
  public enum Kind: String, Sendable, CaseIterable {
    case backup, restoreTest, `import`, add, export, extract, remove, reset, undo, verify, repair, rebuild
    case flatten, prune
  }

  /// What the operation does.
  public let kind: Kind
  /// The folder of the library; nil for an operation without a library.
  public let library: FilePath?
  /// The archives that the operation was given.
  public let archives: [FilePath]
  /// The folder of the extracted photos, or of the removed archives.
  public let folder: FilePath?
  /// True if the operation changes nothing and is not recorded.
  public let isDryRun: Bool
  /// Reads the ID of the library; nil if it cannot be read.
  public let libraryID: @Sendable () -> String?

  /// Describes an operation.
  public init(
    _ kind: Kind, library: FilePath? = nil, archives: [FilePath] = [], folder: FilePath? = nil,
    isDryRun: Bool = false, libraryID: @escaping @Sendable () -> String? = { nil }
  ) {
    (self.kind, self.library, self.archives, self.folder) = (kind, library, archives, folder)
    (self.isDryRun, self.libraryID) = (isDryRun, libraryID)
  }
}

/// A summary that a recorder records.
public protocol RecordedSummary: Sendable {
  /// The part that a recorder records.
  var recorded: OperationResult { get }
}

/// An error of an operation that may have done a part of its work.
public protocol PartialFailure: Error {
  /// The part that was done, and why the operation stopped; nil if nothing was done.
  var partialResult: (done: OperationResult, cause: any Error)? { get }
}

/// The part of a summary that a recorder records.
public struct OperationResult: Sendable {
  /// How much an operation processed. A number is nil if it is unknown or does not apply.
  public struct Counts: Sendable, Equatable, Codable {
    /// The photos of the result.
    public var photos: Int?
    /// The categories of the result.
    public var categories: Int?
    /// The bytes of the photos.
    public var bytes: Int?
    /// The photos that were there already.
    public var skipped: Int?
    /// The removed photos or archives.
    public var removed: Int?
    /// The findings: photos and other items that are missing from the result, or corrupt in it.
    public var findings: Int?

    /// Makes counts of these numbers.
    public init(
      photos: Int? = nil, categories: Int? = nil, bytes: Int? = nil, skipped: Int? = nil, removed: Int? = nil,
      findings: Int? = nil
    ) {
      (self.photos, self.categories, self.bytes) = (photos, categories, bytes)
      (self.skipped, self.removed, self.findings) = (skipped, removed, findings)
    }
  }

  /// How much the operation processed. The recorder counts the findings.
  public var counts: Counts
  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding]
  /// True if something is missing from the result.
  public var isIncomplete: Bool
  /// The archives that the operation wrote or removed, besides those that it was given.
  public var archives: [FilePath]
  /// What the operation found about the photos of the library; nil if it read none.
  public var photos: PhotoFindings?

  /// Describes a result.
  public init(
    _ counts: Counts, findings: [Finding] = [], isIncomplete: Bool = false, archives: [FilePath] = [],
    photos: PhotoFindings? = nil
  ) {
    (self.counts, self.findings, self.isIncomplete) = (counts, findings, isIncomplete)
    (self.archives, self.photos) = (archives, photos)
  }
}

extension Work where Summary: RecordedSummary {
  /// Starts `body` as `init(_:)` does, and has it recorded unless it is a dry run.
  public init(
    _ operation: RecordedOperation, by recorder: (any OperationRecorder)?,
    _ body: @escaping @Sendable (ProgressCounter) throws -> Summary
  ) {
    self.init { counter in
      guard let recorder, !operation.isDryRun else { return try body(counter) }
      return try recorder.recording(operation) { try body(counter) }
    }
  }
}
