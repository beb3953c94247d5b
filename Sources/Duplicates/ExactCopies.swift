package import PhotoLibrary

/// Photos with equal MD5 and size. They are in different categories, or a backup had them twice: they are no duplicates,
/// since a photo is its content in its category.
package struct ExactCopies: Sendable, Equatable {
  /// The photos, by ID.
  package let photos: [Photo]

  /// Returns the contents that a library has more than once, by the lowest ID of their photos.
  ///
  /// - Parameter categories: the categories of the photos, by the displayed name or by `name`; all if empty.
  /// - Throws: `LibraryError.noSuchCategory`.
  package static func all(in library: LibraryContents, categories: [String] = []) throws -> [ExactCopies] {
    let ids = Set(try library.categories.named(categories).map(\.id))
    var byContent: [FileContent: [Photo]] = [:]
    for photo in library.photos where ids.isEmpty || ids.contains(photo.categoryId) {
      if let content = photo.content { byContent[content, default: []].append(photo) }
    }
    return byContent.values.filter { $0.count > 1 }.map { ExactCopies(photos: $0) }
      .sorted { $0.photos[0].id < $1.photos[0].id }
  }
}
