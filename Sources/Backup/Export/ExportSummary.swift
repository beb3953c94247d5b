import Operations
import PhotoLibrary
import SystemPackage

/// The result of an export.
public struct ExportSummary: Sendable, Equatable, FindingReport {
  /// The archive, or the first of several; nil after a dry run.
  public var archive: FilePath? { archives.first }
  /// All archives of the export; empty after a dry run.
  public var archives: [FilePath] = []
  /// The number of archives, or of those that a dry run would write.
  public var parts = 1
  /// How the archive depends on a base; nil for a full one.
  public var increment: Increment?
  /// Why an export that was to be incremental is a full one, otherwise nil.
  public var reasonForFullArchive: String?
  /// Archives of the folder that cannot be the base of an incremental export, newest first.
  package var rejectedBases: [RejectedBase] = []
  /// Photos whose files are stored in the archive or its chain, and assets of the app.
  public var photos = 0
  /// Categories in the archive.
  public var categories = 0
  /// Bytes of the photos in the archive.
  public var bytes = 0
  /// Bytes of all archives together; 0 after a dry run.
  public var archiveBytes = 0
  /// Photos of the library that could not be read, by name. The archive has their rows but not their files; the
  /// base may have the files.
  public var missing: [Finding] = []
  /// The photos that are corrupt in the library. The archive contains their corrupt files, or depends on a base with
  /// intact ones.
  public var corruptInLibrary: [Finding] = []
  /// Why a phone will refuse the archive; empty if a phone accepts it.
  public var phoneRefusals: [String] = []
  /// Categories, by display name, that Android's merge cannot find by any name: Android may file their photos under
  /// another category. See `docs/format/phone-backups.md`.
  public var categoriesAndroidCannotFind: [String] = []
  /// Other warnings.
  public var warnings: [String] = []
  /// What happened to each photo, with `ExportOptions.reportsPhotos`.
  public var photoReports: [PhotoReport] = []
  /// The content fingerprint. An archive with the same fingerprint has the same content.
  public var fingerprint = ""
  /// True if nothing was written.
  public var isDryRun = false

  /// Makes the summary of an export that has not begun.
  public init() {}

  /// The base of an incremental archive, for a report.
  public struct Increment: Sendable, Equatable {
    /// The path of the base.
    public var basePath: FilePath
    /// The archive ID of the base.
    public var baseID: String
    /// The chain depth.
    public var chainDepth: Int
    /// Photos that are stored in the base or its chain.
    public var photosStoredInBase: Int
  }

  /// True if a selected photo is missing or corrupt in the archive.
  public var isIncomplete: Bool { !missing.isEmpty || !corruptInLibrary.isEmpty }

  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding] { missing + corruptInLibrary }
}

extension ExportSummary {
  /// Describes the full export of a library for any destination: neither a base nor the free space is looked at. Blocks;
  /// writes nothing.
  ///
  /// - Parameters:
  ///   - contents: the content of the library. The caller locks its photos with `Library.withPhotoReadLock`.
  ///   - library: the library.
  ///   - options: the options of the export.
  /// - Throws: `LibraryError`, `BackupError`, or `FileError`.
  public init(planning contents: LibraryContents, of library: Library, _ options: ExportOptions) throws {
    let plan = try ExportPlan(contents, options, files: library.files(of:))
    self.init(plan, ContentFingerprint(of: plan))
    isDryRun = true
  }

  /// Describes the archives of a plan before they are written.
  ///
  /// - Parameter fingerprint: that of everything that was selected.
  init(_ plan: ExportPlan, _ fingerprint: ContentFingerprint) {
    increment = plan.increment.map { increment in
      Increment(
        basePath: increment.base.path, baseID: increment.base.archiveID,
        chainDepth: increment.base.chainDepth + 1,
        photosStoredInBase: increment.photosStoredInBase.count)
    }
    photos = plan.photos.count - plan.missingEverywhere.count
    categories = plan.categories.count
    bytes = plan.bytes
    missing = plan.missingFindings
    phoneRefusals = plan.isEncrypted ? ["it is encrypted"] : []
    categoriesAndroidCannotFind = plan.categoriesAndroidCannotFind
    self.fingerprint = fingerprint.description
  }
}
