import PhotoLibrary

/// The category of photos whose own category a backup does not list. Builds of both apps of October 2025 omitted
/// the default categories but kept the photos in them.
///
/// The category's name depends only on the id, so that every backup and every order of imports gives the same
/// category. No app produces such a name, since names from the apps have no blanks. `UnlistedMatching` moves the
/// photos when a backup lists their category.
///
/// A rebuild puts the photos of unknown categories into one more, which has the greatest ID.
enum UnlistedCategory {
  private static let prefix = "unlisted "

  /// The `name` of the category of the photos that a rebuild finds again.
  static let found = "found again"

  /// Returns the display name: `Category 7`.
  static func displayName(_ id: Int64) -> String { "Category \(id)" }

  /// Returns the identity: `unlisted 7`.
  static func name(_ id: Int64) -> String { "\(prefix)\(id)" }

  /// Returns the row. Its values have no date, so that the values of any backup that lists the category win.
  static func record(_ id: Int64, position: Int) -> Metadata.CategoryRecord {
    Metadata.CategoryRecord(
      id: id, name: name(id), displayName: displayName(id), position: position, createdAt: 0,
      valuesAsOf: .min)
  }

  /// Returns the id in the name of such a category, or nil for every other category.
  static func id(of category: PhotoLibrary.Category) -> Int64? { id(inName: category.name) }

  /// Returns the id in the `name` of such a category, or nil for every other name.
  static func id(inName text: String) -> Int64? {
    if text == found { return .max }
    guard text.hasPrefix(prefix), let id = Int64(text.dropFirst(prefix.count)) else { return nil }
    return text == name(id) ? id : nil
  }
}
