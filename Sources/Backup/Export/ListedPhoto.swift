import Foundation
import Gallery
import PhotoLibrary

/// A photo with what determines its place in a gallery.
struct ListedPhoto {
  let id: Int64
  let category: Int64
  /// In milliseconds since 1970.
  let takenAt: Int64
  let name: String
  let file: String
  let thumbnail: (path: String, width: Int, height: Int)?
}

extension Gallery {
  /// Lists the photos of each category by date, the newest first.
  ///
  /// - Parameters:
  ///   - categories: the IDs and displayed names, in the order in which they are shown.
  ///   - date: the date of the gallery, in milliseconds since 1970.
  init(
    _ categories: [(id: Int64, name: String)], _ photos: [ListedPhoto], style: Style, date: Int64,
    edition: String? = nil
  ) {
    let days = LocalDay()
    let byCategory = Dictionary(grouping: photos, by: \.category)
    let shown = categories.map { category in
      let photos = (byCategory[category.id] ?? []).sorted { ($1.takenAt, $0.id) < ($0.takenAt, $1.id) }
      return Category(
        name: category.name,
        photos: photos.map { photo in
          Photo(
            name: photo.name, day: days.text(photo.takenAt), file: photo.file,
            thumbnail: photo.thumbnail?.path,
            width: photo.thumbnail?.width ?? 0, height: photo.thumbnail?.height ?? 0)
        })
    }
    self.init(shown, style: style, Facts(version: Version.current, day: days.text(date)), edition: edition)
  }
}
