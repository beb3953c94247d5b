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
    result.movements = edit.movements ?? movements
    result.movements += edit.moves.compactMap(movement)
    let returned = Set(edit.returnedPhotos)
    let removed = Set(result.movements.lazy.filter { $0.destination == nil }.map(\.subject))
    result.movements += edit.newPhotos.filter { returned.contains($0.id) }.compactMap { photo in
      let subject = Movement.Subject.photo(photo.identity)
      guard removed.contains(subject) else { return nil }
      let category = result.categories.first { $0.id == photo.categoryId }
      return category.map { Movement(subject, from: nil, to: $0.name, at: 0) }
    }
    return result
  }

  private func movement(_ move: LibraryEdit.Move) -> Movement? {
    switch move {
    case .photo(let id, let destination):
      guard let photo = photos.first(where: { $0.id == id }) else { return nil }
      let category = categories.first { $0.id == photo.categoryId }
      return category.map { Movement(.photo(photo.identity), from: $0.name, to: destination, at: 0) }
    case .category(let id, let destination):
      return categories.first { $0.id == id }.map {
        Movement(.category, from: $0.name, to: destination, at: 0)
      }
    }
  }
}
