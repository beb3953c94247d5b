import ArchiveCatalog
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// What a rebuild does with a photo whose file is missing.
public enum MissingPhotos: String, Sendable, CaseIterable {
  /// Brings the file back from an archive.
  case restore
  /// Leaves the photo out.
  case leave
}

/// The options of a rebuild.
public struct RebuildOptions: Sendable {
  /// The archives of the library, and folders with archives of it and of other libraries.
  public var archives: [FilePath] = []
  /// Rebuilds the library without an archive if there is none.
  public var acceptsNoArchive = false
  /// What to do with photos whose files are missing.
  public var missing = MissingPhotos.restore
  /// Reports only, and writes nothing.
  public var isDryRun = false
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// The number of files to read at once; nil for the best number for the disk.
  public var readers: Int?
  /// The limits for archives.
  public var limits = Limits()
  /// The password for encrypted archives.
  public var password: Secret?
  /// The health of archives, and the ID of the library. Damaged archives are recorded.
  public var ledger: Ledger?
  /// Confirms the rebuild of a library with delete protection whose PIN cannot be read.
  public var authorization = Authorization.refused

  /// Makes the default options.
  public init() {}
}

/// The result of a rebuild.
public struct RebuildSummary: Sendable, Equatable, FindingReport {
  /// The displayed name of the category of files that belonged to no photo.
  public static let foundCategory = "Found again"

  /// The archive that the rows come from; nil if there was none.
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
  /// The folder with the old database; nil if there was none.
  public var lostFiles: FilePath?
  /// The folder with the corrupt files that were replaced; nil if there were none.
  public var corruptFiles: FilePath?
  /// True if the library has delete protection, and its PIN cannot be read. It is lost if there was one.
  public var isPINLost = false
  /// Other warnings.
  public var warnings: [String] = []
  /// True if nothing was written.
  public var isDryRun = false

  /// True if a file was missing, corrupt or unknown, or an archive could not be read.
  public var isIncomplete: Bool {
    !(restored.isEmpty && missing.isEmpty && damaged.isEmpty && foundAgain.isEmpty && unusable.isEmpty)
  }

  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding] { unusable + missing + damaged }
}
