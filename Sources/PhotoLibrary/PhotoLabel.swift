import FileSystem

/// The name of a photo in messages. Names of photos are not unique, so it includes ID and category.
public enum PhotoLabel {
  /// `photo 7 “IMG_0001” in “Family”`, safe for a terminal. Shortens very long names.
  public static func label(id: Int64, category: String, name: String) -> String {
    "\(start)\(id) “\(name.shortened.escaped)” in “\(category.shortened.escaped)”"
  }

  /// Returns the ID of the photo that has a label; nil if a text is no label.
  package static func id(of label: String) -> Int64? {
    label.hasPrefix(start) ? Int64(label.dropFirst(start.count).prefix { $0 != " " }) : nil
  }

  private static let start = "photo "
}

extension [Category] {
  /// Returns the label of a photo in one of these categories.
  func label(of photo: Photo) -> String {
    PhotoLabel.label(id: photo.id, category: displayName(of: photo) ?? "", name: photo.name)
  }

  func displayName(of photo: Photo) -> String? { first { $0.id == photo.categoryId }?.displayName }
}

extension LibraryContents {
  /// Returns the label of a photo in this library.
  public func label(of photo: Photo) -> String { categories.label(of: photo) }

  /// Returns the displayed name of a photo's category.
  package func category(of photo: Photo) -> String? { categories.displayName(of: photo) }
}
