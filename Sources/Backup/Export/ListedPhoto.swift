import Gallery
import PhotoLibrary

/// A photo with what determines its place in a gallery.
struct ListedPhoto {
  /// The ID of the photo, which orders photos of the same time: see `PhotoOrder`.
  let id: Int64
  /// The ID of the category.
  let category: Int64
  let takenAt: Timestamp
  /// The displayed name, of any text.
  let name: String
  /// The path of the photo's file, relative to the gallery's folder; if the gallery has none, that of a picture of it.
  /// Nil if its name has no extension of a photo.
  let file: String?
  /// The path of the picture that a click opens, since browsers do not show the file; nil if a click opens the file.
  let view: String?
  /// The thumbnail; nil if the photo has none.
  let thumbnail: Gallery.Thumbnail?
}

extension Gallery {
  /// Lists the photos of each category by date, the newest first, and those of the same time by descending ID, as
  /// `PhotoOrder.dateNewest`. Days are in the local time zone.
  ///
  /// - Parameters:
  ///   - categories: the IDs and displayed names, in the order in which they are shown.
  ///   - date: the date of the gallery.
  init(
    _ categories: [(id: Int64, name: String)], _ photos: [ListedPhoto], style: Style, date: Timestamp,
    form: Form, extent: Extent, edition: String? = nil
  ) {
    let byCategory = Dictionary(grouping: photos, by: \.category)
    let shown = categories.map { category in
      let photos = (byCategory[category.id] ?? []).sorted { ($1.takenAt, $1.id) < ($0.takenAt, $0.id) }
      return Category(
        name: category.name,
        photos: photos.map { photo in
          Photo(
            name: photo.name, day: photo.takenAt.localDay, file: photo.file,
            view: photo.view, thumbnail: photo.thumbnail)
        })
    }
    let facts = Facts(version: Version.current, day: date.localDay, form: form, extent: extent)
    self.init(shown, style: style, facts, edition: edition)
  }
}
