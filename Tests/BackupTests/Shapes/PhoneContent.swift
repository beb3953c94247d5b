import Foundation
import PhotoLibrary
import TestSupport

@testable import Backup

/// The content of a phone or library as the user sees it: by names, not by IDs.
struct PhoneContent: Equatable {
  /// A photo as the user sees it. Texts are compared as bytes, since an import must not change the normal form of é.
  struct Shown: Hashable {
    var category: [UInt8]
    var name: [UInt8]
    var createdAt: Int64
    /// The content; nil for a row whose photo ships inside the app.
    var bytes: [UInt8]?

    init(_ category: String, _ name: String, _ createdAt: Int64, _ bytes: [UInt8]?) {
      (self.category, self.name) = (Array(category.utf8), Array(name.utf8))
      (self.createdAt, self.bytes) = (createdAt, bytes)
    }
  }

  /// The values of a category.
  struct Pile: Hashable {
    var displayName: [UInt8]
    var name: String
    var icon: String?
    var color: String?
    var isDefault: Bool
    var createdAt: Int64
  }

  /// How often each photo occurs.
  var photos: [Shown: Int] = [:]
  /// The categories, without those that the import creates for an unknown category ID.
  var piles: Set<Pile> = []
  /// The display names of the categories that the import creates for an unknown category ID.
  var standIns: Set<String> = []

  /// The number of photos.
  var count: Int { photos.values.reduce(0, +) }

  /// How often each value of a property occurs.
  func count<Value: Hashable>(by property: (Shown) -> Value) -> [Value: Int] {
    Dictionary(photos.map { (property($0.key), $0.value) }, uniquingKeysWith: +)
  }

  /// The content of a library.
  init(_ library: SampleLibrary) throws {
    let (contents, bytes) = (try library.contents, try library.bytesOfPhotos())
    var names: [Int64: String] = [:]
    for category in contents.categories {
      names[category.id] = category.displayName
      if category.name == "unlisted \(category.displayName.dropFirst("Category ".count))" {
        standIns.insert(category.displayName)
      } else {
        piles.insert(
          Pile(
            displayName: Array(category.displayName.utf8), name: category.name, icon: category.iconResource,
            color: category.colorHex, isDefault: category.isDefault, createdAt: category.createdAt.rawValue))
      }
    }
    for photo in contents.photos {
      let shown = Shown(names[photo.categoryId] ?? "?", photo.name, photo.createdAt.rawValue, bytes[photo.id])
      photos[shown, default: 0] += 1
    }
  }

  /// The expected content of a library after the import of a backup.
  init(expectedOf taken: Phone) {
    for category in taken.categories {
      piles.insert(
        Pile(
          displayName: Array(category.displayName.utf8),
          name: category.name.precomposedStringWithCanonicalMapping, icon: category.icon,
          color: category.color, isDefault: category.isDefault, createdAt: category.createdAt))
    }
    for photo in taken.photos where photo.bytes != nil || photo.isFromAssets {
      let category = taken.categoryShown(of: photo)
      if !taken.categories.contains(where: { $0.id == photo.categoryId }) { standIns.insert(category) }
      let date = photo.isEdited ? photo.createdAt * 1000 : photo.createdAt
      photos[Shown(category, photo.name, date, photo.bytes), default: 0] += 1
    }
  }
}

extension Phone {
  /// The display name of the category of a photo: the first category with its ID.
  func categoryShown(of photo: Photo) -> String {
    categories.first { $0.id == photo.categoryId }?.displayName ?? "Category \(photo.categoryId)"
  }

  /// The photos whose files the backup does not have.
  var lost: [Photo] { photos.filter { $0.bytes == nil && !$0.isFromAssets } }
}
