import Operations
import SystemPackage

/// Options of `clean`.
public struct CleanOptions: ApprovedOptions {
  /// Only reports what would be removed.
  public var isDryRun = false
  /// Removes what is kept for an undo, too.
  public var removesUndo = false
  /// Removes the corrupt files that repairs replaced, too.
  public var removesQuarantined = false
  /// Folders of archives, in which it removes the unfinished files of killed processes.
  public var archiveFolders: [FilePath] = []
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// Confirms each kind of removal, or gives the library's PIN.
  public var authorization = Authorization.refused

  /// The defaults.
  public init() {}
}

/// The result of `clean`.
public struct CleanSummary: Sendable, Equatable, FindingReport {
  /// What it removed, except for what `left` reports.
  public internal(set) var items: [CleanItem] = []
  /// The number of removed files.
  public internal(set) var files = 0
  /// The allocated bytes that it freed.
  public internal(set) var bytes = 0
  /// What could not be removed. It is complete or can be removed again.
  public internal(set) var left: [Finding] = []
  /// Nothing was removed; the other values tell what would be.
  public internal(set) var isDryRun = false

  /// What could not be removed.
  public var findings: [Finding] { left }
  /// True if something could not be removed.
  public var isIncomplete: Bool { !left.isEmpty }
}

extension Work where Summary == CleanSummary {
  /// Starts removing files that this program made and that nothing needs: staged files of interrupted
  /// operations, folders of no change in `.undo`, and unfinished files of killed processes in folders of
  /// archives. With options, also what is kept for an undo and the corrupt files of repairs. It removes no
  /// archive, no photo of the library, and no untracked file. An interruption leaves a library as before, or
  /// with fewer of these files; the next writer or the next `clean` removes the others.
  ///
  /// The summary throws `AuthorizationError` if a question is answered with no, `LibraryError`,
  /// `FileLock.Busy` or `FileError`; then nothing was removed.
  public static func clean(_ library: FilePath, options: CleanOptions = CleanOptions()) -> Self {
    Work { counter in
      try CleanRun(path: library, options: options, counter: counter).run()
    }
  }
}
