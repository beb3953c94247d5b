import PhotoLibrary

/// How an import handles the existing content of the library.
public enum ImportStrategy: String, Sendable, CaseIterable {
  /// Adds new photos and categories. The newer side determines the values of categories and settings.
  case merge
  /// Replaces the library by the backup. Keeps the previous content for an undo.
  case replace
  /// Adds new photos and categories, and takes no value from the backup for existing ones, except as the duplicate
  /// rule requires. Moves a photo out of an unlisted category if this backup lists its category.
  case skip
}

/// How to handle a photo that the library already has: equal bytes in the same category.
public enum DuplicateRule: String, Sendable, CaseIterable {
  /// Keeps the library's row. With `merge`, a favorite mark of either side stays.
  case skip
  /// Gives the row the values of the backup (name, date, dimensions).
  case replace
  /// Adds a copy under a new name. So importing twice adds the photo twice.
  case rename
}

/// A photo that the library already has, about which the caller decides.
public struct Duplicate: Sendable {
  /// The library's photo.
  public let existing: Photo
  /// The backup's row.
  package let incoming: Metadata.PhotoRecord
  /// The category of both.
  public let category: Category
}
