import FileSystem
import SystemPackage

/// Why no gallery is written. The earlier gallery remains as it was.
public enum GalleryFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The folder has a file that is not a gallery's.
  case unknownFile(FilePath)
  /// The backup has version 1.
  case noPhotoFiles(FilePath)

  /// One line for the user.
  public var description: String { message.escaped }

  private var message: String {
    switch self {
    case .unknownFile(let path):
      "\(path) is not a file of a gallery that smilepile wrote; use a folder for the gallery alone"
    case .noPhotoFiles(let path): "\(path) is a JSON backup, which has no photo files; use an archive"
    }
  }
}
