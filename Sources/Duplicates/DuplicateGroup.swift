internal import Operations
package import PhotoLibrary

/// Photos that are similar to the best one of them.
package struct DuplicateGroup: Sendable, Equatable {
  /// What the photos have in common.
  package enum Kind: String, Sendable, CaseIterable {
    /// The same picture: in another size or format, cropped, or with other colours.
    case copies
    /// Shots one after the other, which have different times in their headers.
    case series
  }

  /// A photo of a group.
  package struct Member: Sendable, Equatable {
    /// The photo.
    package let photo: Photo
    /// The similarity to the best photo, from 0 to 1.
    package let similarity: Double
  }

  /// What the photos have in common.
  package let kind: Kind
  /// The best photo.
  package let best: Photo
  /// Why it is the best one.
  package let reason: PhotoRank.Reason
  /// The other photos, best first.
  package let others: [Member]

  /// The number of the group: the ID of the best photo. A later import does not change it.
  package var number: Int64 { best.id }

  /// All photos, best first.
  package var photos: [Photo] { [best] + others.map(\.photo) }

  /// The least similarity to the best photo, from 0 to 1.
  package var similarity: Double { others.map(\.similarity).min() ?? 1 }

  /// The bytes of all photos but the best one.
  package var bytesToFree: Int { others.saturatedSum(\.photo.fileSize) }
}
