import ArchiveCatalog
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// What an import does with what is there already.
public enum ImportStrategy: String, Sendable, CaseIterable {
  /// Adds what is new. Values of categories and settings come from whichever side is newer.
  case merge
  /// Puts the backup in the place of everything that is there; what was there is kept for an undo.
  case replace
  /// Adds what is new, and takes no value from the backup for what is there, but where the duplicate rule says so. A
  /// photo whose category no backup has listed yet moves to its category.
  case skip
}

/// What happens to a photo that the library holds already: equal bytes in the same category.
public enum DuplicateRule: String, Sendable, CaseIterable {
  /// The library's row stays as it is; a merge adds the mark of a favorite.
  case skip
  /// The row takes its values (name, date, dimensions) from the backup.
  case replace
  /// A copy is added under a new name. So importing twice adds it twice.
  case rename
}

/// A photo that the library has already, for the caller to decide about.
public struct Duplicate: Sendable {
  /// The library's photo.
  public let existing: Photo
  /// The backup's row.
  package let incoming: Metadata.PhotoRecord
  /// The category of both.
  public let category: Category
}

/// How a backup is imported.
public struct ImportOptions: Sendable {
  /// What happens to what is there.
  public var strategy = ImportStrategy.merge
  /// Called for every duplicate, on the thread that imports, before anything is written. Under `replace` there
  /// are none.
  public var duplicates: @Sendable (Duplicate) -> DuplicateRule = { _ in .skip }
  /// Imports the backup's settings.
  public var includesSettings = true
  /// Plans and counts, and writes nothing.
  public var isDryRun = false
  /// Allows `replace` by a backup that does not hold a complete library.
  public var isForced = false
  /// A damaged archive is searched for what is left of it.
  public var salvages = false
  /// Where the photo files of a JSON backup are looked for, by file name and size, at any depth.
  public var photosFrom: FilePath?
  /// These photos of a backup alone, by their ids in it; nil for all.
  public var photoIDs: Set<Int64>?
  /// Confirms a `replace` that takes photos or categories out of the library, or gives the library's PIN.
  public var authorization = Authorization.refused
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// Opens encrypted backups; the others are read without it.
  public var password: Secret?
  /// Records which archives were found damaged.
  public var ledger: Ledger?
  /// What an archive may ask for.
  public var limits = Limits()
  /// Makes photos and rows durable before they are reported. Without it, a power cut soon afterwards may lose imported
  /// photos. For measurements, and for callers that flush by themselves.
  public var syncs = true
  /// How many photos are read at a time; nil for what suits the disk.
  public var readers: Int?

  /// The defaults: merge, duplicates skipped, settings included.
  public init() {}
}

/// What an import did: the apps' ImportResult.
public struct ImportSummary: Sendable, Equatable {
  /// Categories created or changed.
  public var categoriesImported = 0
  /// Photos that are new, and those that took new values.
  public var photosImported = 0
  /// Photos that the library had already.
  public var photosSkipped = 0
  /// What is no longer in the library. Only `replace` takes anything out.
  public var removal = Removal()
  /// Photo files written into the library.
  public var photoFilesRestored = 0
  /// Photos that the backup promises, and that are missing or corrupt in it.
  public var errors: [Finding] = []
  /// Archives in which something is not as it was written.
  public var damagedArchives: [FilePath: String] = [:]
  /// What else is worth knowing, photos without files among it.
  public var warnings: [String] = []
  /// How many of the backup's photos are not in the library now.
  public var photosAbsent = 0
  /// Nothing was written.
  public var isDryRun = false

  /// True if a photo of the backup is not in the library, or is corrupt.
  public var isIncomplete: Bool { photosAbsent > 0 || !errors.isEmpty }

  /// Adds what another backup of the same run did.
  static func += (sum: inout ImportSummary, other: ImportSummary) {
    sum.categoriesImported += other.categoriesImported
    sum.photosImported += other.photosImported
    sum.photosSkipped += other.photosSkipped
    sum.removal += other.removal
    sum.photoFilesRestored += other.photoFilesRestored
    sum.errors += other.errors
    sum.damagedArchives.merge(other.damagedArchives, uniquingKeysWith: { first, _ in first })
    sum.warnings += other.warnings
    sum.photosAbsent += other.photosAbsent
  }
}
