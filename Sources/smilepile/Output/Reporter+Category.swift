import PhotoLibrary

extension Reporter {
  /// Prints a category of a library with `--json`.
  ///
  /// - Parameter photos: the number of its photos.
  func json(_ category: PhotoLibrary.Category, photos: Int) {
    json(
      "category",
      [
        "id": category.id, "name": category.name, "display_name": category.displayName,
        "position": category.position, "color_hex": category.colorHex,
        "icon_resource": category.iconResource, "photos": photos,
      ])
  }
}
