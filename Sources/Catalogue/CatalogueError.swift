internal import FileSystem
public import SystemPackage

/// Why no catalogue was published.
public enum CatalogueError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is a file or folder with the name of the new catalogue.
  case exists(FilePath)
  /// The path of the catalogue has no name of a file.
  case noName(FilePath)
  /// The folder of the catalogue is missing.
  case noFolder(FilePath)
  /// The program that writes catalogues did not complete it; the reason, in which “it” is the program.
  case helperFailed(String)
  /// The written file is not a complete PDF; the reason.
  case incomplete(String)

  /// One line for the user.
  public var description: String {
    switch self {
    case .exists(let path): "\(path) exists; choose the name of a new file".escaped
    case .noName(let path): "\(path) is not the name of a file".escaped
    case .noFolder(let path): "the folder \(path) does not exist; create it".escaped
    case .helperFailed(let reason):
      "the catalogue was not written: \(CatalogueHelper.name) failed: \(reason)".escaped
    case .incomplete(let reason): "the catalogue was not published: \(reason)".escaped
    }
  }
}
