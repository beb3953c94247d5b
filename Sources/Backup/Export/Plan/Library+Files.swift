import ArchiveCatalog
import Checksums
import FileSystem
import Operations
import PhotoLibrary

/// The access of an export to the library's files.
extension Library {
  /// Returns the length and date of each photo's file, or why it cannot be archived.
  ///
  /// - Throws: an error that does not concern one photo: no more files can be opened, or a folder cannot be read.
  func files(of photos: [Photo]) throws(FileError) -> [Result<PhotoFile, MissingPhoto>] {
    try photos.map { photo throws(FileError) in
      switch status(of: photo) {
      case .success(let status) where status.kind == .file:
        return .success(PhotoFile(size: status.size, modified: status.modified))
      case .success: return .failure(MissingPhoto("\(photo.path.escaped) is not a file"))
      case .failure(let error)
      where error.cause == .environment || error.operation == "open" && error.errno == .ioError:
        throw error
      case .failure(let error): return .failure(MissingPhoto(error.description))
      }
    }
  }

  /// Returns how the pipeline reads a photo.
  ///
  /// - Parameter modified: the entry's date, if the archive must not reveal the photo's.
  func pipelineItem(_ item: ExportPlan.Item, modified: Timestamp? = nil) -> PipelineItem {
    PipelineItem(
      entryName: item.entryName, size: item.size, modified: modified ?? item.photo.createdAt,
      bytes: .photo(item.photo.path, of: self))
  }

  /// Returns the corrupt photos of a selection among those whose files were modified after a moment. Blocks; reads
  /// only those files.
  ///
  /// - Parameters:
  ///   - contents: the content of the library.
  ///   - moment: the date of the full archive that contains their intact files; nil to read every file.
  /// - Throws: `LibraryError`, `BackupError`, `FileError`, or `CancellationError`.
  public func corruptPhotos(
    in contents: LibraryContents, modifiedAfter moment: Timestamp?, _ options: ExportOptions,
    _ counter: ProgressCounter
  ) throws -> [Finding] {
    let plan = try ExportPlan(contents, options, files: files(of:))
    let photos = moment.map(plan.photosToRecheck(modifiedAfter:)) ?? plan.items.map(\.photo)
    return try corruptPhotos(among: photos, isInBase: moment != nil, of: plan, counter)
  }

  /// Returns the photos that an export selects. Blocks.
  package func selectedPhotos(of contents: LibraryContents, _ options: ExportOptions) throws -> [Photo] {
    try ExportPlan(contents, options, files: files(of:)).photos
  }

  /// - Parameter isInBase: true if the base contains an intact file of each photo.
  func corruptPhotos(
    among photos: [Photo], isInBase: Bool, of plan: ExportPlan, _ counter: ProgressCounter
  ) throws -> [Finding] {
    let outcomes = try PhotoReading(counter, Readers(on: try identity)).outcomes(photos.count) { index in
      (.photo(photos[index].path, of: self), nil)
    }
    return zip(photos, outcomes).compactMap { photo, outcome in
      guard let fault = outcome.flatMap(photo.fault) else { return nil }
      return Finding(
        plan.label(photo), isInBase ? "\(fault.reason); the base contains an intact file" : fault.reason,
        remedy: .repairLibrary)
    }
  }
}
