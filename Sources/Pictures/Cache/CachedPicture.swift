internal import SystemPackage

/// A kind of picture that the cache of a library keeps, in a database of its own.
package enum CachedPicture: Sendable, CaseIterable {
  /// Thumbnails of all photos.
  case thumbnail
  /// What a click in the gallery of an archive opens instead of photos that browsers do not show.
  case view

  /// What is drawn.
  var request: PictureRequest {
    switch self {
    case .thumbnail: .thumbnail
    case .view: .view
    }
  }

  /// The file name of the database.
  var database: FilePath {
    switch self {
    case .thumbnail: "pictures.sqlite"
    case .view: "views.sqlite"
    }
  }
}
