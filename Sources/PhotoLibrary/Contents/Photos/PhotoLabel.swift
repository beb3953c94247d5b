import FileSystem
import Operations

extension Finding.Subject {
  /// A photo with the label `photo 7 “IMG_0001” in “Family”`, safe for a terminal. Names of photos are not unique, so the
  /// label includes ID and category. Shortens very long names.
  public static func photo(id: Int64, category: String, name: String) -> Self {
    .photo(
      id: id, label: "photo \(id) “\(name.shortened.escaped)” in “\(category.shortened.escaped)”")
  }
}

extension [Category] {
  /// Returns how messages refer to a photo in one of these categories.
  package func label(of photo: Photo) -> Finding.Subject {
    .photo(id: photo.id, category: displayName(of: photo) ?? "", name: photo.name)
  }

  func displayName(of photo: Photo) -> String? { first { $0.id == photo.categoryId }?.displayName }
}

extension LibraryContents {
  /// Returns how messages refer to a photo in this library.
  public func label(of photo: Photo) -> Finding.Subject { categories.label(of: photo) }

  /// Returns the displayed name of a photo's category.
  package func category(of photo: Photo) -> String? { categories.displayName(of: photo) }
}
