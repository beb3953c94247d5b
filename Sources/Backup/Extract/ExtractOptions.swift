import ArchiveCatalog
import Operations
import Secrets
import SystemPackage
import Zip

/// What becomes of a file that is there under a photo's name.
public enum OverwriteRule: String, Sendable, CaseIterable {
  /// It stays; one with other bytes is named.
  case never
  /// It stays if its bytes are the photo's, and is replaced if not.
  case ifChanged = "if-changed"
  /// It is replaced.
  case always
}

/// What is extracted, and how.
public struct ExtractOptions: Sendable {
  /// Which photos.
  public var selection = PhotoSelection()
  /// What becomes of files that are there.
  public var overwrite = OverwriteRule.never
  /// Plans and compares, and writes nothing.
  public var isDryRun = false
  /// Opens encrypted archives.
  public var password: Secret?
  /// Records which archives were found damaged.
  public var ledger: Ledger?
  /// What an archive may ask for.
  public var limits = Limits()
  /// How many photos are read at a time; nil for what suits the disk.
  public var readers: Int?

  /// The defaults: everything, and what is there stays, since it may be somebody's own.
  public init() {}
}

/// What an extraction did, or would do.
public struct ExtractSummary: Sendable, Equatable {
  /// Photos of the selection that are files.
  public var files = 0
  /// Their bytes.
  public var bytes = 0
  /// Files written, those in another's place too.
  public var filesWritten = 0
  /// Their bytes.
  public var bytesWritten = 0
  /// Of the files written, those that took the place of one with other bytes.
  public var filesReplaced = 0
  /// Files that were there with the same bytes, and were left as they are.
  public var filesKept = 0
  /// Their bytes.
  public var bytesKept = 0
  /// Photos that ship inside the app, and are no files.
  public var assets = 0
  /// Photos that were asked for and are not there now, or not as they should be; each by name.
  public var errors: [Finding] = []
  /// Archives in which something is not as it was written.
  public var damagedArchives: [FilePath: String] = [:]
  /// What else is worth knowing.
  public var warnings: [String] = []
  /// Nothing was written.
  public var isDryRun = false

  /// True when something that was asked for is not in the folder as it should be.
  public var isIncomplete: Bool { !errors.isEmpty }
}

/// Why nothing can be extracted. Nothing was written when one is thrown.
public enum ExtractError: RemediedError, Sendable, CustomStringConvertible {
  /// A backup of version 1.
  case noPhotoFiles(FilePath)
  /// No category has a name that was asked for.
  case noSuchCategory(FilePath, String)
  /// No photo has a name that was asked for.
  case noSuchPhoto(FilePath, String)
  /// The folder's parent is not there.
  case noSuchFolder(FilePath)
  /// What should be a folder is none, or a link.
  case notAFolder(FilePath)
  /// The folder lies in a library.
  case insideLibrary(FilePath)
  /// Another process writes to the folder.
  case busy(FilePath)

  /// One line for a person.
  public var description: String { message.escaped }

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
      "\(path) is a JSON backup, which holds no photo files"
    case .noSuchCategory(let path, let name):
      "no category in \(path) is named “\(name)”"
    case .noSuchPhoto(let path, let pattern):
      "no photo in \(path) has a name like “\(pattern)”"
    case .noSuchFolder(let path):
      "there is no folder \(path) to make a folder in; make it first"
    case .notAFolder(let path):
      "\(path) is no folder, and a link is not followed; move it away, or extract to another folder"
    case .insideLibrary(let path):
      "\(path) lies in a library, whose files are its own; extract to a folder outside it"
    case .busy(let path):
      "another smilepile is at work in \(path); wait for it to end"
    }
  }
}
