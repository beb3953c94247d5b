import FileSystem
import Operations
import SystemPackage

/// Why the database of a library is not rebuilt. Nothing was changed.
public enum RebuildError: ExplainedError, Equatable, Sendable, CustomStringConvertible {
  /// Every row of the database can be read.
  case isIntact(FilePath)
  /// No archive of the library was found.
  case noArchive(FilePath)
  /// The archive is of another library.
  case otherLibrary(FilePath, archive: FilePath)
  /// The archive has none of the photo files that can be read, and this file cannot be read.
  case unreadableFile(FilePath, file: FilePath, reason: String)
  /// The archive no longer has a photo that was read from it before.
  case unreadableArchive(FilePath, reason: String)
  /// The archives are of several libraries, and the ID of this library is unknown.
  case severalLibraries(FilePath, archives: [FilePath])

  /// One line for the user.
  public var description: String { message.escaped }

  /// Why the operation failed.
  public var cause: ErrorCause { if case .noArchive = self { .notFound } else { .other } }

  /// What to do about the error.
  public var remedy: Remedy? {
    switch self {
    case .noArchive, .severalLibraries: .nameArchive
    case .isIntact, .otherLibrary, .unreadableFile, .unreadableArchive: nil
    }
  }

  private var message: String {
    switch self {
    case .isIntact(let path):
      "the database of \(path) is intact; nothing was changed"
    case .noArchive(let path):
      "there is no archive of \(path)"
    case .otherLibrary(let path, let archive):
      "\(archive) is an archive of another library than \(path)"
    case .unreadableFile(let archive, let file, let reason):
      "\(archive) may be an archive of another library: too few of its photos were found, and \(file) cannot be read: \(reason)"
    case .unreadableArchive(let archive, let reason):
      "cannot read a photo from \(archive): \(reason); nothing was changed"
    case .severalLibraries(let path, let archives):
      "these are archives of several libraries, and the database of \(path) does not tell which library it is: "
        + archives.map(\.string).joined(separator: ", ")
    }
  }
}
