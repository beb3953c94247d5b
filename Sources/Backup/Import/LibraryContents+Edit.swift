import PhotoLibrary

extension LibraryContents {
  /// Returns the content of the library after an edit.
  func applying(_ edit: LibraryEdit) -> LibraryContents {
    var result = self
    let removedCategories = Set(edit.removedCategories)
    let removedPhotos = Set(edit.removedPhotos)
    result.categories.removeAll { removedCategories.contains($0.id) }
    result.photos.removeAll { removedPhotos.contains($0.id) }
    let categories = Dictionary(uniqueKeysWithValues: edit.changedCategories.map { ($0.id, $0) })
    let photos = Dictionary(uniqueKeysWithValues: edit.changedPhotos.map { ($0.id, $0) })
    result.categories = result.categories.map { categories[$0.id] ?? $0 } + edit.newCategories
    result.photos = result.photos.map { photos[$0.id] ?? $0 } + edit.newPhotos
    result.settings = edit.settings ?? result.settings
    return result
  }
}
