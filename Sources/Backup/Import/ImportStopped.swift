import FileSystem
import Operations
import SystemPackage

/// An import of several backups failed or was cancelled after some were imported.
public struct ImportStopped: ExplainedError, Sendable, CustomStringConvertible {
  /// The backup at which the import stopped.
  public var path: FilePath
  /// The backups that were imported.
  public var imported: [FilePath]
  /// The result of the completed imports.
  public var done: ImportSummary
  /// Why the import stopped.
  public var reason: any Error

  /// Makes the error.
  public init(at path: FilePath, after imported: [FilePath], _ done: ImportSummary, _ reason: any Error) {
    (self.path, self.imported, self.done, self.reason) = (path, imported, done, reason)
  }

  /// What the reason means for the caller.
  public var cause: ErrorCause { reason.cause }

  /// The remedy of the reason.
  public var remedy: Remedy? { reason.remedy }

  /// One line, with the backups that were imported.
  public var description: String {
    let stop =
      reason is CancellationError
      ? "stopped at \(path)" : reason is BackupError ? "\(reason)" : "\(path): \(reason)"
    return "\(stop); already imported: \(imported.map(\.string).joined(separator: ", "))".escaped
  }
}

extension ImportStopped: PartialFailure {
  /// The completed imports, and why the import stopped.
  public var partialResult: (done: OperationResult, cause: any Error)? { (done.recorded, reason) }
}

extension ImportStopped: FindingReport {
  /// The findings of the completed imports.
  public var findings: [Finding] { done.findings }
}
