import Foundation
import Operations

/// What the photos of a group have in common.
package enum PhotoGrouping: String, Sendable, CaseIterable {
  /// The category.
  case category
  /// The year in which the photo was taken, in the time zone of the process.
  case year
  /// The month in which it was taken, in the time zone of the process.
  case month
}

/// The photos of one category, year or month.
package struct PhotoGroup: Sendable, Equatable {
  /// The displayed name of the category, `2025` or `2025-07`.
  package let key: String
  /// The number of photos.
  package private(set) var photos = 0
  /// The sum of the sizes of their files.
  package private(set) var bytes = 0
  /// When the oldest photo was taken; nil without photos.
  package private(set) var oldest: Timestamp?
  /// When the newest photo was taken.
  package private(set) var newest: Timestamp?

  init(key: String) { self.key = key }

  mutating func add(_ photo: Photo) {
    photos += 1
    bytes = bytes.saturated(plus: photo.fileSize)
    oldest = min(oldest ?? photo.createdAt, photo.createdAt)
    newest = max(newest ?? photo.createdAt, photo.createdAt)
  }
}

extension LibraryContents {
  /// Returns the photos in groups: each category in its order, also one without photos; or each year or month in which a photo
  /// was taken, the oldest first.
  package func groups(by grouping: PhotoGrouping) -> [PhotoGroup] {
    let date = Date.ISO8601FormatStyle(timeZone: .current)
    return switch grouping {
    case .category: groupsByCategory()
    case .year: groups(date.year())
    case .month: groups(date.year().month())
    }
  }

  private func groupsByCategory() -> [PhotoGroup] {
    var groups = categories.map { PhotoGroup(key: $0.displayName) }
    let places = Dictionary(uniqueKeysWithValues: categories.enumerated().map { ($1.id, $0) })
    for photo in photos { if let place = places[photo.categoryId] { groups[place].add(photo) } }
    return groups
  }

  private func groups(_ style: Date.ISO8601FormatStyle) -> [PhotoGroup] {
    var groups: [String: PhotoGroup] = [:]
    for photo in photos {
      let key = style.format(photo.createdAt.date)
      groups[key, default: PhotoGroup(key: key)].add(photo)
    }
    return groups.values.sorted { ($0.oldest ?? 0) < ($1.oldest ?? 0) }
  }
}
