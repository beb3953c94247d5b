import PhotoLibrary

/// The category of photos whose own category a backup does not list. Builds of both apps of October 2025 left out the
/// categories that they offer first, and kept the photos in them.
///
/// It is named after the id alone, so that it is the same one in every backup and in every order of imports. Its photos wait for a backup
/// that lists their category: see `UnlistedMatching`.
enum UnlistedCategory {
  private static let displayNamePrefix = "Category "

  /// What the app shows: `Category 7`.
  static func displayName(_ id: Int64) -> String { "\(displayNamePrefix)\(id)" }

  /// The identity: `category_7`, as both apps derive it from what they show.
  static func name(_ id: Int64) -> String {
    PhotoLibrary.Category.name(forDisplayName: displayName(id))
  }

  /// The row. Its values have no date, so that those of any backup that has such a category stand.
  static func record(_ id: Int64, position: Int) -> Metadata.CategoryRecord {
    Metadata.CategoryRecord(
      id: id, name: name(id), displayName: displayName(id), position: position, createdAt: 0,
      valuesAsOf: .min)
  }

  /// The id that such a category is named after; nil for every other category.
  static func id(of category: PhotoLibrary.Category) -> Int64? {
    guard category.displayName.hasPrefix(displayNamePrefix),
      let id = Int64(category.displayName.dropFirst(displayNamePrefix.count)),
      category.name == name(id), category.displayName == displayName(id)
    else { return nil }
    return id
  }
}
