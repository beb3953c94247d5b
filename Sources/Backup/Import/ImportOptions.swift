import ArchiveCatalog
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// The options of an import.
public struct ImportOptions: Sendable {
  /// How to handle the existing content of the library.
  public var strategy = ImportStrategy.merge
  /// Called for every duplicate, on the thread that imports, before anything is written. Not called for `replace`.
  public var duplicates: @Sendable (Duplicate) -> DuplicateRule = { _ in .skip }
  /// Imports the backup's settings.
  public var includesSettings = true
  /// Adds photos again that a person removed from the library.
  public var restoresRemoved = false
  /// Plans and counts, but writes nothing.
  public var isDryRun = false
  /// Describes each photo in the summary.
  public var reportsPhotos = false
  /// Allows `replace` by a backup that does not contain a complete library.
  public var isForced = false
  /// Searches a damaged archive for recoverable photos.
  public var salvages = false
  /// The folder to search for the photo files of a JSON backup, by file name and size, at any depth.
  public var photosFrom: FilePath?
  /// The ids in the backup of the photos to import; nil for all.
  public var photoIDs: Set<Int64>?
  /// Confirms a `replace` that removes photos or categories from the library, or gives the library's PIN.
  public var authorization = Authorization.refused
  /// The time to wait for another writer.
  public var lockWait: Duration = .zero
  /// The password for encrypted backups. Not used for other backups.
  public var password: Secret?
  /// Gives the health of archives. `Work.import` records the import and damaged archives; `ImportRun.run` neither.
  public var ledger: Ledger?
  /// The limits for archives.
  public var limits = Limits()
  /// Makes photos and rows durable before they are reported. Without it, a power cut soon afterwards may lose imported
  /// photos. For measurements, and for callers that flush by themselves.
  public var syncs = true
  /// The number of photos to read concurrently; nil for the best number for the disk.
  public var readers: Int?

  /// Makes the default options: merge, skip duplicates, include settings.
  public init() {}
}

/// The result of an import.
public struct ImportSummary: Sendable, Equatable, FindingReport {
  /// Categories created or changed.
  public var categoriesImported = 0
  /// New photos, and photos with new values.
  public var photosImported = 0
  /// Photos that the library already had.
  public var photosSkipped = 0
  /// Photos that a person removed from the library, and that stay removed.
  public var photosRemovedBefore = 0
  /// The items that were removed from the library. Only `replace` removes items.
  public var removal = Removal()
  /// Photo files written into the library.
  public var photoFilesWritten = 0
  /// What the import could not use or repair: corrupt photos, photos that the backup should have and lacks, unusable
  /// rows, damage of the archive, and files of the library that could not be restored.
  public var errors: [Finding] = []
  /// Photos without a file that no archive should have. The warnings contain their messages.
  package var missingWithoutDamage: [Finding] = []
  /// Archives with damage, each with a description.
  public var damagedArchives: [FilePath: String] = [:]
  /// True if the disk could not read a photo. The same import may be complete later.
  package var hasDiskFault = false
  /// Other warnings, for example about photos without files.
  public var warnings: [String] = []
  /// The number of the backup's photos that are not in the library after the import: missing or corrupt ones.
  public var photosNotImported = 0
  /// What happened to each photo, with `ImportOptions.reportsPhotos`: one report for each photo of the backups.
  public var photoReports: [PhotoReport] = []
  /// True if nothing was written.
  public var isDryRun = false

  /// Photos of the library that the backup has too, and whose files have another size than recorded. They stay as they
  /// are, since another program may have changed them.
  public var changedInLibrary: [Finding] = []

  /// True if a photo of the backup is not in the library, or is corrupt.
  public var isIncomplete: Bool { photosNotImported > 0 || !findings.isEmpty }

  /// Adds the result of another backup of the same run.
  static func += (sum: inout ImportSummary, other: ImportSummary) {
    sum.categoriesImported += other.categoriesImported
    sum.photosImported += other.photosImported
    sum.photosSkipped += other.photosSkipped
    sum.photosRemovedBefore += other.photosRemovedBefore
    sum.removal += other.removal
    sum.photoFilesWritten += other.photoFilesWritten
    sum.errors += other.errors
    sum.changedInLibrary += other.changedInLibrary
    sum.missingWithoutDamage += other.missingWithoutDamage
    sum.damagedArchives.merge(other.damagedArchives, uniquingKeysWith: { first, _ in first })
    sum.hasDiskFault = sum.hasDiskFault || other.hasDiskFault
    sum.warnings += other.warnings
    sum.photosNotImported += other.photosNotImported
    sum.photoReports += other.photoReports
  }

  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding] { errors + changedInLibrary }
}
