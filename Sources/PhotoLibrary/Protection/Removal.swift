import FileSystem

/// The number of photos and categories that an operation removes from a library.
///
/// A photo counts by its content (MD5 and size), an asset of the app by its path; equal photos count one by one. A
/// category counts by its name. A photo that moves to another category, or a photo or a category that gets another ID or
/// other values, is not removed.
public struct Removal: Sendable, Equatable, CustomStringConvertible {
  /// The number of photos.
  public var photos: Int
  /// The number of categories.
  public var categories: Int

  /// Makes a removal of these counts.
  public init(photos: Int = 0, categories: Int = 0) {
    self.photos = photos
    self.categories = categories
  }

  /// Counts the photos and categories that one state of a library has and another does not.
  public init(from before: LibraryContents, to after: LibraryContents) {
    categories = Set(before.categories.map(\.name)).subtracting(after.categories.map(\.name)).count
    var kept: [PhotoIdentity: Int] = [:]
    for photo in after.photos { kept[photo.identity, default: 0] += 1 }
    var removed = 0
    for photo in before.photos {
      if let count = kept[photo.identity], count > 0 {
        kept[photo.identity] = count - 1
      } else {
        removed += 1
      }
    }
    photos = removed
  }

  /// True if nothing is removed.
  public var isEmpty: Bool { photos == 0 && categories == 0 }

  /// The counts that are not zero: `2 photos and 1 category`.
  public var description: String {
    let photos = "\(Count(photos, "photo"))"
    if categories == 0 { return photos }
    let categories = "\(Count(categories, "category", "categories"))"
    return self.photos == 0 ? categories : "\(photos) and \(categories)"
  }

  /// What a question for confirmation says: `remove 2 photos and 1 category`.
  public var clause: String { "remove \(self)" }

  /// Adds up the removals of several operations.
  public static func += (sum: inout Removal, other: Removal) {
    sum.photos += other.photos
    sum.categories += other.categories
  }
}
