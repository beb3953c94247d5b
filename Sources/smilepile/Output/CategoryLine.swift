import PhotoLibrary

/// A category of a library, as a line of JSON.
struct CategoryLine: Encodable {
  let messageType = "category"
  var id: Int64
  var name: String
  var displayName: String
  var position: Int
  var colorHex: String?
  var iconResource: String?
  var photos: Int

  /// - Parameter photos: the number of its photos.
  init(_ category: PhotoLibrary.Category, photos: Int) {
    (id, name, displayName) = (category.id, category.name, category.displayName)
    (position, colorHex, iconResource) = (category.position, category.colorHex, category.iconResource)
    self.photos = photos
  }
}
