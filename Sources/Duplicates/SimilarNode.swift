internal import PhotoLibrary
internal import Pictures

/// A photo with what the search for duplicates compares.
struct SimilarNode: Sendable, Equatable {
  /// The photo's content.
  let content: FileContent
  /// The place of its fingerprint in the table.
  let place: Int
  /// When it was taken, according to its header.
  var captured: Timestamp?

  /// Returns the kind of group that this photo and a similar one are in: two shots of a series have different times in
  /// their headers. Nil if they have equal bytes: a photo is its content in its category.
  func kind(with other: SimilarNode) -> DuplicateGroup.Kind? {
    guard content != other.content else { return nil }
    guard let captured, let otherTime = other.captured else { return .copies }
    return captured.canBe(otherTime) ? .copies : .series
  }
}
