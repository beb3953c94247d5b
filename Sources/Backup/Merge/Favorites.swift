import PhotoLibrary

/// The photos that any phone has marked as favorites, by content. All copies of a photo have the mark, in any
/// category. So the mark does not depend on which copy matches a photo of an unlisted category.
struct Favorites {
  private var marks: [PhotoIdentity: Bool] = [:]

  /// Adds the marks of photos. True precedes false, and false precedes no mark.
  mutating func add(_ photos: some Sequence<Photo>) {
    for photo in photos {
      guard let isFavorite = photo.isFavorite else { continue }
      marks[photo.identity] = marks[photo.identity] == true || isFavorite
    }
  }

  /// True if no photo is marked either way.
  var isEmpty: Bool { marks.isEmpty }

  /// Returns the mark of a photo; nil if no backup has one.
  subscript(photo: Photo) -> Bool? { marks[photo.identity] }
}
