import ArchiveCatalog
import Operations
import PhotoLibrary
import SystemPackage

/// What an export did.
public struct ExportSummary: Sendable, Equatable {
  /// The archive, of several the first; nil after a dry run.
  public var archive: FilePath? { archives.first }
  /// The archive, or all that the export was split into; empty after a dry run.
  public var archives: [FilePath] = []
  /// How many archives there are, or would be.
  public var parts = 1
  /// How the archive depends on a base; nil for a full one.
  public var increment: Increment?
  /// Why an export that was to be incremental is a full one, nil if it is not.
  public var fullBecause: String?
  /// Archives of the folder that cannot be the base of an incremental export, newest first.
  package var rejectedBases: [RejectedBase] = []
  /// Photos whose files are in the archive or in its chain, and assets of the app.
  public var photos = 0
  /// Categories in the archive.
  public var categories = 0
  /// Bytes of the photos in the archive.
  public var bytes = 0
  /// Bytes of the archive, of several all together; 0 after a dry run.
  public var archiveBytes = 0
  /// Photos of the library that could not be read: their rows are in the archive, their files are not, though the
  /// archive's base may hold them. Each by name.
  public var missing: [Finding] = []
  /// Photos that are in the archive and whose bytes are no longer those that came into the library.
  public var damaged: [Finding] = []
  /// Why a phone will refuse the archive; empty if it will not.
  public var phoneRefusals: [String] = []
  /// Categories, as the app shows them, that Android's merge cannot find by any name: it may file their photos under
  /// another category. See `docs/format/phone-backups.md`.
  public var categoriesAndroidCannotFind: [String] = []
  /// What else is worth knowing.
  public var warnings: [String] = []
  /// The MD5 of what was selected: an archive of the same state holds all this already.
  public var state = ""
  /// Nothing was written.
  public var isDryRun = false

  /// Makes the summary of an export that has not begun.
  public init() {}

  /// How an incremental archive depends on its base.
  public struct Increment: Sendable, Equatable {
    /// The path of the base.
    public var archive: FilePath
    /// The base's ID.
    public var base: String
    /// The chain depth.
    public var length: Int
    /// Photos that are stored in the archives before this one.
    public var held: Int
  }

  /// True if a selected photo is missing or corrupt in the archive.
  public var isIncomplete: Bool { !missing.isEmpty || !damaged.isEmpty }
}

extension ExportSummary {
  /// Returns what an export of a library would hold, as a dry run does, whatever its destination. Blocks; writes nothing.
  ///
  /// - Parameters:
  ///   - contents: what the library holds. The caller holds its photos with `Library.withPhotoReadLock`.
  ///   - library: the library.
  ///   - options: how the export is made.
  /// - Throws: `LibraryError`, `BackupError`, or `FileError`.
  public init(planning contents: LibraryContents, of library: Library, _ options: ExportOptions) throws {
    let plan = try ExportPlan(contents, options, files: library.files(of:))
    self.init(ExportOutcome(plan: plan, fingerprint: ContentFingerprint(of: plan), isDryRun: true))
  }

  /// - Parameters:
  ///   - outcome: what the export did.
  ///   - damagedInLibrary: photos that are stored in the base, and whose files in the library are corrupt.
  ///   - selection: how the base was chosen; nil if none was looked for.
  ///   - reason: why an export that was to be incremental is a full one.
  init(
    _ outcome: ExportOutcome, damagedInLibrary: [Finding] = [], selection: BaseSelection? = nil,
    reason: String? = nil
  ) {
    let plan = outcome.plan
    let lost = Set(plan.lost.map(\.photo.id))
    archives = outcome.archives
    parts = outcome.parts
    increment = plan.increment.map { increment in
      Increment(
        archive: increment.base.path, base: increment.base.archiveID, length: increment.base.depth + 1,
        held: increment.photosStoredInBase.count)
    }
    fullBecause = reason
    rejectedBases = selection?.rejected ?? []
    photos = plan.photos.count - lost.count
    categories = plan.categories.count
    bytes = plan.bytes
    archiveBytes = outcome.archiveBytes
    missing = plan.missing.map { missing in
      // the library also lacks the files that the base still has
      Finding(
        plan.label(missing.photo),
        lost.contains(missing.photo.id) ? missing.reason : "\(missing.reason); the base holds its file")
    }
    damaged = outcome.damaged + damagedInLibrary
    phoneRefusals = (plan.isEncrypted ? ["it is encrypted"] : []) + outcome.phoneRefusals
    categoriesAndroidCannotFind = plan.categoriesAndroidCannotFind
    warnings = outcome.warnings + (selection?.warnings ?? [])
    state = outcome.fingerprint.description
    isDryRun = outcome.isDryRun
  }
}
