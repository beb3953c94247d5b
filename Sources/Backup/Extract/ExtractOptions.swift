import ArchiveCatalog
import Operations
import Secrets
import SystemPackage

/// How to handle an existing file under a photo's name.
public enum OverwriteRule: String, Sendable, CaseIterable {
  /// Keeps the file, and reports a file with other bytes.
  case never
  /// Keeps the file if its bytes equal the photo's, otherwise replaces it.
  case ifChanged = "if-changed"
  /// Replaces the file.
  case always
}

/// The options of an extraction.
public struct ExtractOptions: Sendable {
  /// The photos to extract.
  public var selection = PhotoSelection()
  /// How to handle existing files.
  public var overwrite = OverwriteRule.never
  /// Plans and compares, but writes nothing.
  public var isDryRun = false
  /// Describes each photo in the summary.
  public var reportsPhotos = false
  /// The password for encrypted archives.
  public var password: Secret?
  /// Records the operation and damaged archives.
  public var ledger: Ledger?
  /// The limits for archives.
  public var limits = Limits()
  /// The number of photos to read concurrently; nil for the best number for the disk.
  public var readers: Int?

  /// Makes the default options: all photos. Keeps existing files, which may be the user's own.
  public init() {}
}

/// The result of an extraction or of a dry run.
public struct ExtractSummary: Sendable, Equatable, FindingReport {
  /// The selected photos that are files.
  public var files = 0
  /// The bytes of these photos.
  public var bytes = 0
  /// The files written, including replaced ones.
  public var filesWritten = 0
  /// The bytes of the written files.
  public var bytesWritten = 0
  /// The written files that replaced a file with other bytes.
  public var filesReplaced = 0
  /// The existing files with the same bytes, which were kept.
  public var filesKept = 0
  /// The bytes of the kept files.
  public var bytesKept = 0
  /// The selected photos that ship inside the app and have no files.
  public var assets = 0
  /// The selected photos that are missing or corrupt in the folder, by name.
  public var errors: [Finding] = []
  /// The archives with damage, each with a description.
  public var damagedArchives: [FilePath: String] = [:]
  /// Other warnings.
  public var warnings: [String] = []
  /// What happened to each selected photo, with `ExtractOptions.reportsPhotos`.
  public var photoReports: [PhotoReport] = []
  /// True if nothing was written.
  public var isDryRun = false

  /// True if a selected photo is missing or corrupt in the folder.
  public var isIncomplete: Bool { !errors.isEmpty }

  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding] { errors }
}

/// Why nothing can be extracted. The extraction throws these errors before it writes anything.
public enum ExtractError: ExplainedError, Sendable, CustomStringConvertible {
  /// The backup has version 1.
  case noPhotoFiles(FilePath)
  /// No category has the selected name.
  case noSuchCategory(FilePath, String)
  /// No photo has the selected name.
  case noSuchPhoto(FilePath, String)
  /// The folder's parent does not exist.
  case noSuchFolder(FilePath)
  /// The path is not a folder, or is a link.
  case notAFolder(FilePath)
  /// The folder is inside a library.
  case insideLibrary(FilePath)
  /// Another process writes to the folder.
  case busy(FilePath)

  /// One line for the user.
  public var description: String { message.escaped }

  /// Why the operation failed.
  public var cause: ErrorCause { if case .busy = self { .busy } else { .other } }

  /// What to do about the error.
  public var remedy: Remedy? {
    switch self {
    case .noPhotoFiles: .importPhotosFromFolder
    case .noSuchCategory: .listArchive
    default: nil
    }
  }

  private var message: String {
    switch self {
    case .noPhotoFiles(let path):
      "\(path) is a JSON backup, which has no photo files"
    case .noSuchCategory(let path, let name):
      "no category in \(path) is named “\(name)”"
    case .noSuchPhoto(let path, let pattern):
      "no photo in \(path) has a name like “\(pattern)”"
    case .noSuchFolder(let path):
      "the folder \(path) does not exist; create it"
    case .notAFolder(let path):
      "\(path) is not a folder, and links are not followed; use another folder"
    case .insideLibrary(let path):
      "\(path) is in a library; use a folder outside the library"
    case .busy(let path):
      "another smilepile process uses \(path); wait until it ends"
    }
  }
}
