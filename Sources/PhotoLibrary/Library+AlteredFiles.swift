import FileSystem
import Operations

extension Library {
  /// Returns a finding for each photo whose file is missing or has another length than the library recorded, in the
  /// order of the photos. Reads no file, so that other corruption is not found. Blocks.
  ///
  /// - Parameter contents: the contents of the library, which name the photos.
  package func alteredFiles(of photos: [Photo], in contents: LibraryContents) -> [Finding] {
    photos.filter { !$0.isFromAssets }.compactMap { photo in
      switch status(of: photo) {
      case .success(let status) where status.kind == .file && status.size == photo.fileSize: nil
      case .success: .corruptInLibrary(contents.label(of: photo))
      case .failure(let error) where error.isMissing: .missingInLibrary(contents.label(of: photo))
      case .failure(let error): Finding(contents.label(of: photo), "\(error)")
      }
    }
  }
}
