import PhotoLibrary

/// The category of photos whose own category a backup does not list. Builds of both apps of October 2025 left out the
/// categories that they offer first, and kept the photos in them.
///
/// Its name depends on the id alone, so that it is the same category in every backup and in every order of imports. No app
/// gives a category such a name, since names from the apps have no blanks. `UnlistedMatching` moves its photos when a
/// backup lists their category.
enum UnlistedCategory {
  private static let prefix = "unlisted "

  /// What the app shows: `Category 7`.
  static func displayName(_ id: Int64) -> String { "Category \(id)" }

  /// The identity: `unlisted 7`.
  static func name(_ id: Int64) -> String { "\(prefix)\(id)" }

  /// The row. Its values have no date, so that those of any backup that has such a category stand.
  static func record(_ id: Int64, position: Int) -> Metadata.CategoryRecord {
    Metadata.CategoryRecord(
      id: id, name: name(id), displayName: displayName(id), position: position, createdAt: 0,
      valuesAsOf: .min)
  }

  /// The id that such a category is named after; nil for every other category.
  static func id(of category: PhotoLibrary.Category) -> Int64? {
    guard category.name.hasPrefix(prefix), let id = Int64(category.name.dropFirst(prefix.count)) else {
      return nil
    }
    return category.name == name(id) ? id : nil
  }
}
