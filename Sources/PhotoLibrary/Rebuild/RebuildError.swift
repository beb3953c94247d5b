import FileSystem
import Operations
import SystemPackage

/// Why the database of a library is not rebuilt. Nothing was changed.
public enum RebuildError: RemediedError, Equatable, Sendable, CustomStringConvertible {
  /// Every row of the database can be read.
  case isIntact(FilePath)
  /// No archive of the library was found.
  case noArchive(FilePath)
  /// The archive is of another library.
  case otherLibrary(FilePath, archive: FilePath)
  /// The archives are of several libraries, and the ID of this library is unknown.
  case severalLibraries(FilePath, archives: [FilePath])

  /// One line for the user.
  public var description: String { message.escaped }

  /// What to do about the error.
  public var remedy: Remedy? { if case .noArchive = self { .nameArchive } else { nil } }

  private var message: String {
    switch self {
    case .isIntact(let path):
      "the database of \(path) is intact; nothing was changed"
    case .noArchive(let path):
      "there is no archive of \(path)"
    case .otherLibrary(let path, let archive):
      "\(archive) is an archive of another library than \(path)"
    case .severalLibraries(let path, let archives):
      "these are archives of several libraries, and the database of \(path) does not tell which library it is: "
        + "\(archives.map(\.string).joined(separator: ", ")); use --from with an archive of this library"
    }
  }
}
