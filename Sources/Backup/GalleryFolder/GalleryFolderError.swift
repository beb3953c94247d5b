import FileSystem
import SystemPackage

/// Why no gallery is written. The earlier gallery remains as it was.
public enum GalleryFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The folder has files, and no list of a gallery.
  case notEmpty(FilePath)
  /// The list of the gallery's files cannot be used, for this reason.
  case invalidList(FilePath, reason: String)
  /// A file that this program did not write has the name of a file of the gallery.
  case unknownFile(FilePath)
  /// The list of the gallery's files would become longer than a later run reads.
  case tooManyFiles(FilePath)
  /// The backup has version 1.
  case noPhotoFiles(FilePath)

  /// One line for the user.
  public var description: String { message.escaped }

  private var message: String {
    switch self {
    case .notEmpty(let path):
      "\(path) has files and is not a gallery that smilepile wrote; use a new or an empty folder"
    case .invalidList(let path, let reason):
      "\(path) cannot be used: \(reason); use a new or an empty folder"
    case .unknownFile(let path):
      "\(path) was written or changed by another program, and was not replaced; move it to another folder"
    case .tooManyFiles(let path):
      "the gallery in \(path) would have too many files; write a folder for each category"
    case .noPhotoFiles(let path): "\(path) is a JSON backup, which has no photo files; use an archive"
    }
  }
}
