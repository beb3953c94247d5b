import FileSystem
import Operations
import SystemPackage

/// Why a library cannot be opened or changed. Nothing was changed, except in the case `undecided`.
public enum LibraryError: ExplainedError, Equatable, Sendable, CustomStringConvertible {
  /// The folder does not exist, or is not a library.
  case notALibrary(FilePath)
  /// The folder of a new library is a library already.
  case alreadyALibrary(FilePath)
  /// The folder of a new library is not empty.
  case folderNotEmpty(FilePath)
  /// The folder of a new library is in another library.
  case insideAnother(FilePath, FilePath)
  /// The folder belongs to the user with this ID, who is neither the user of this process nor root.
  case otherOwner(FilePath, UInt32)
  /// A development version of this program made the library, before the first release.
  case olderVersion(FilePath)
  /// A newer version of this program made or changed the library.
  case newerVersion(FilePath)
  /// SQLite's write-ahead log and file locks are not reliable on a network file system.
  case networkFileSystem(FilePath, protocol: String)
  /// SQLite cannot use the database; its reason.
  case database(FilePath, reason: String)
  /// The database is missing or corrupt.
  case corruptDatabase(FilePath, reason: String)
  /// The commit of a change failed, and whether it took effect cannot be read.
  case undecided(FilePath, reason: String)
  /// The file system has fewer free bytes than the operation needs.
  case notEnoughSpace(FilePath, needed: Int, free: Int)
  /// A photo to add is in the library.
  case insideLibrary(FilePath)
  /// A file that a command writes would be in a library, in which it is untracked.
  case outputInLibrary(FilePath, library: FilePath)
  /// No category has this name.
  case noSuchCategory(String)
  /// Several categories display this name; their `name`s.
  case ambiguousCategory(String, [String])
  /// No photo matches; the value completes "no photo has …".
  case noSuchPhoto(String)

  /// One line for the user: what is wrong with which folder.
  public var description: String { message.escaped }

  /// Why the operation failed.
  public var cause: ErrorCause { if case .notALibrary = self { .notFound } else { .access } }

  /// What to do about the error.
  public var remedy: Remedy? {
    switch self {
    case .notALibrary(let path): .createLibrary(path.string)
    case .corruptDatabase(let path, _): .rebuildLibrary(path.string)
    case .otherOwner: .actAsOwner
    case .noSuchCategory, .noSuchPhoto: .listLibrary
    default: nil
    }
  }

  private var message: String {
    switch self {
    case .notALibrary(let path):
      "\(path) is not a SmilePile library"
    case .alreadyALibrary(let path):
      "\(path) is already a SmilePile library; choose a new or empty folder"
    case .folderNotEmpty(let path):
      "\(path) is not empty; a library needs a folder of its own"
    case .insideAnother(let path, let other):
      "\(path) is in the library \(other); create the new library outside that library"
    case .otherOwner(let path, let user):
      "\(path) is a library of \(UserAccount.label(of: user))"
    case .olderVersion(let path):
      "\(path) was made by an older development version of smilepile; export it with that version, and import the archive "
        + "into a new library"
    case .newerVersion(let path):
      "\(path) was made by a newer version of smilepile; update smilepile"
    case .networkFileSystem(let path, let name):
      "\(path) is on a network file system (\(name)), where a library is not safe; "
        + "keep it on a local disk (archives may be anywhere)"
    case .database(let path, let reason), .corruptDatabase(let path, let reason):
      "cannot use \(path.appending("library.sqlite")): \(reason)"
    case .undecided(let path, let reason):
      "it is unknown whether \(path) was changed (\(reason)); the next command that changes the library completes or "
        + "undoes the change"
    case .notEnoughSpace(let path, let needed, let free):
      "not enough space in \(path): \(needed) bytes are needed, including a reserve, and \(free) are free; free some "
        + "space"
    case .insideLibrary(let path):
      "\(path) is in the library; move it out of the library, then add it"
    case .outputInLibrary(let path, let library):
      "\(path) is in the library \(library); choose a folder outside the library"
    case .noSuchCategory(let name):
      "no category is named “\(name)”"
    case .ambiguousCategory(let name, let names):
      "several categories display “\(name)”: \(names.joined(separator: ", ")); use one of these names"
    case .noSuchPhoto(let what):
      "no photo has \(what)"
    }
  }
}
