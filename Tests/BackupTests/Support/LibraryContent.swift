import PhotoLibrary
import SystemPackage
import TestSupport

@testable import Backup

/// What a library holds, whatever its files are called: what a backup has to give back.
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
    // of the record in this library
    (settings.createdAt, settings.changedAt) = (0, 0)
    bytes = try library.bytesOfPhotos()
  }
}

extension SampleLibrary {
  /// A new library into which these came, one after the other.
  static func importing(
    _ backups: [FilePath], configure: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> SampleLibrary {
    let library = try SampleLibrary()
    for backup in backups { try await library.importing(backup, configure: configure) }
    return library
  }
}
