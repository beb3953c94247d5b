import PhotoLibrary

/// The photos that any phone has marked as favorites, by content. All copies of a photo have the mark, in any
/// category. So the mark does not depend on which copy matches a photo of an unlisted category.
struct Favorites {
  private var marks: [PhotoIdentity: Bool] = [:]

  /// Adds the marks of photos. True precedes false, and false precedes no mark.
  mutating func add(_ photos: some Sequence<Photo>) {
    for photo in photos {
      guard let isFavorite = photo.isFavorite else { continue }
      let content = PhotoIdentity(photo).withoutCategory
      marks[content] = marks[content] == true || isFavorite
    }
  }

  /// True if no photo is marked either way.
  var isEmpty: Bool { marks.isEmpty }

  /// Returns the mark of a photo; nil if no backup has one.
  subscript(photo: Photo) -> Bool? { marks[PhotoIdentity(photo).withoutCategory] }
}

extension PhotoIdentity {
  /// Equal for equal content in any category.
  var withoutCategory: PhotoIdentity {
    switch self {
    case .file(let md5, let size, _, let variant): .file(md5, size: size, category: 0, variant: variant)
    case .asset(let path, _): .asset(path: path, category: 0)
    }
  }
}
