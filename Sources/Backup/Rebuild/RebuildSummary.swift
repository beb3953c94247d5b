import Operations
import SystemPackage

/// The result of a rebuild.
public struct RebuildSummary: Sendable, Equatable, FindingReport {
  /// The displayed name of the category of files that belonged to no photo.
  public static let foundCategory = "Found again"

  /// The archive that the rows come from; nil without an archive.
  public var archive: FilePath?
  /// The number of photos of the damaged database that were used.
  public var photosOfDatabase = 0
  /// The photos of the rebuilt library.
  public var photos = 0
  /// The categories of the rebuilt library.
  public var categories = 0
  /// Photos whose files were missing or corrupt, and come from an archive.
  public var restored: [Finding] = []
  /// Photos that were left out, since their files are missing.
  public var missing: [Finding] = []
  /// Photos whose files are corrupt or cannot be read, and that no archive has.
  public var damaged: [Finding] = []
  /// What cannot be read from the old database, and is as in the archive.
  public var outdated: [Finding] = []
  /// Photos whose categories cannot be read. They are in the category of found files.
  public var uncategorized: [Finding] = []
  /// The paths of files that belonged to no photo, and are now in a category of their own.
  public var foundAgain: [String] = []
  /// The paths of files below `photos` that are no photos. They stay, as untracked files.
  public var untracked: [String] = []
  /// Archives that cannot be used, by path.
  public var unusable: [Finding] = []
  /// Damaged archives, each with a description.
  public var damagedArchives: [FilePath: String] = [:]
  /// The bytes of restored files.
  public var bytes = 0
  /// The folder with the old database; nil if the old database was missing.
  public var lostFiles: FilePath?
  /// The folder with the corrupt files that were replaced; nil if there were none.
  public var corruptFiles: FilePath?
  /// True if the PIN cannot be read: it is lost if there was one.
  public var isPINLost = false
  /// Other warnings.
  public var warnings: [String] = []
  /// True if nothing was written.
  public var isDryRun = false

  /// True if a file was missing, corrupt or unknown, or if a category or a given archive could not be read.
  public var isIncomplete: Bool { !(findings.isEmpty && restored.isEmpty && foundAgain.isEmpty) }

  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding] { unusable + outdated + missing + damaged + uncategorized }
}
