import FileSystem
import PhotoLibrary

/// What an export needs to know of the files of a library.
extension Library {
  /// The length and date of each photo's file, or why it cannot be archived.
  /// - Throws: what is no fault of a photo: that files cannot be opened any more, or that a whole folder cannot be read.
  func files(of photos: [Photo]) throws(FileError) -> [Result<PhotoFile, MissingPhoto>] {
    let statuses = statuses(of: photos)
    for case .failure(let error) in statuses
    where error.isResourceExhaustion || error.operation == "open" && error.errno == .ioError {
      throw error
    }
    return zip(photos, statuses).map { photo, status in
      switch status {
      case .success(let status) where status.kind == .file:
        .success(PhotoFile(size: status.size, modified: status.modified))
      case .success: .failure(MissingPhoto("\(photo.path.escaped) is no file"))
      case .failure(let error): .failure(MissingPhoto(error.description))
      }
    }
  }

  /// How the pipeline reads a photo.
  ///
  /// - Parameter modified: the entry's date, where the photo's own must not be seen.
  func pipelineItem(_ item: ExportPlan.Item, modified: Int64? = nil) -> PipelineItem {
    // the path alone, since there is one of these for every photo
    let path = item.photo.path
    return PipelineItem(
      entryName: item.entryName, size: item.size, modified: modified ?? item.photo.createdAt
    ) {
      () throws(FileError) in try self.openPhoto(at: path)
    }
  }
}
