import PhotoLibrary
import SystemPackage
import TestSupport

@testable import Backup

/// The content of a library without the names of its files: what a restored backup must have.
struct LibraryContent: Equatable {
  var categories: [PhotoLibrary.Category]
  var photos: [Photo]
  var bytes: [Int64: [UInt8]]
  var settings: Settings

  init(_ library: SampleLibrary) throws {
    let contents = try library.contents
    categories = contents.categories
    photos = contents.photos.map { photo in
      var photo = photo
      if !photo.isFromAssets { photo.path = "" }
      return photo
    }
    settings = contents.settings
    // these dates belong to the record of this library
    (settings.createdAt, settings.changedAt) = (0, 0)
    bytes = try library.bytesOfPhotos()
  }
}

extension SampleLibrary {
  /// Imports backups into a new library, one after the other.
  static func importing(
    _ backups: [FilePath], configure: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> SampleLibrary {
    let library = try SampleLibrary()
    for backup in backups { try await library.importing(backup, configure: configure) }
    return library
  }
}
