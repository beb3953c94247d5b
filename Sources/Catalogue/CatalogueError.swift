internal import FileSystem
internal import Pictures
package import SystemPackage

/// Why no catalogue was published.
package enum CatalogueError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is a file or folder with the name of the new catalogue.
  case exists(FilePath)
  /// The path of the catalogue has no name of a file.
  case noName(FilePath)
  /// The folder of the catalogue is missing.
  case noFolder(FilePath)
  /// The catalogue could not be completed; the reason.
  case incomplete(FilePath, String)

  /// One line for the user.
  package var description: String {
    switch self {
    case .exists(let path): "\(path) exists; choose the name of a new file".escaped
    case .noName(let path): "\(path) is not the name of a file".escaped
    case .noFolder(let path): "the folder \(path) does not exist; create it".escaped
    case .incomplete(let path, let reason):
      "\(path) was not written: \(reason); run the command again".escaped
    }
  }
}

/// Why a document could not be completed.
struct CatalogueFault: Error, Equatable {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  /// The program that writes catalogues failed; the reason, in which “it” is the program.
  static func ofHelper(_ reason: String) -> Self { Self("\(Helper.catalogue.rawValue) failed: \(reason)") }
}
