package import PhotoLibrary

/// The photos to remove of groups of copies: a pure function of the groups and of what a person chose.
package struct DuplicateRemoval: Sendable {
  /// Which photo of a group is kept.
  package enum Keep: Sendable, Equatable {
    /// The best one.
    case best
    /// The one that was added first: with the lowest ID.
    case first
    /// The photo with this ID, in its group; the best one in the other groups.
    case photo(Int64)
  }

  /// A group with what happens to its photos.
  package struct Part: Sendable {
    /// The group.
    package let group: DuplicateGroup
    /// The photo that is kept in the place of the others.
    package let kept: Photo
    /// The photos to remove. Each is similar to the kept photo.
    package let removed: [Photo]
    /// The photos that stay: similar to the best photo, but not to the kept one.
    package let spared: [Photo]
  }

  /// Why groups cannot be chosen. Nothing was removed.
  package enum Failure: Error, Equatable, CustomStringConvertible {
    /// No group has the number.
    case noSuchGroup(Int64)
    /// The group is a series, in which each photo is a shot of its own.
    case isSeries(Int64)
    /// No chosen group has the photo to keep.
    case notInGroups(Int64)

    /// One line for the user.
    package var description: String {
      switch self {
      case .noSuchGroup(let number):
        "there is no group \(number) of copies at this threshold; nothing was removed"
      case .isSeries(let number):
        "group \(number) is a series, whose photos are different shots; remove photos of a series by their IDs"
      case .notInGroups(let id):
        "no chosen group has photo \(id), the one to keep; nothing was removed"
      }
    }
  }

  /// What happens to each group.
  package let parts: [Part]

  /// Chooses photos.
  ///
  /// - Parameter numbers: the numbers of the groups; nil for all groups of copies.
  /// - Throws: `Failure`.
  package init(of summary: DuplicateSummary, groups numbers: [Int64]?, keep: Keep) throws(Failure) {
    var groups = summary.groups.filter { $0.kind == .copies }
    if let numbers {
      for number in numbers where !groups.contains(where: { $0.number == number }) {
        throw summary.groups.contains { $0.number == number } ? .isSeries(number) : .noSuchGroup(number)
      }
      groups = groups.filter { numbers.contains($0.number) }
    }
    if case .photo(let id) = keep, !groups.contains(where: { $0.photos.contains { $0.id == id } }) {
      throw .notInGroups(id)
    }
    parts = groups.map { Self.part($0, keep, summary.comparison) }
  }

  private static func part(_ group: DuplicateGroup, _ keep: Keep, _ comparison: PhotoComparison) -> Part {
    let photos = group.photos
    let kept =
      switch keep {
      case .best: group.best
      case .first: photos.min { $0.id < $1.id } ?? group.best
      case .photo(let id): photos.first { $0.id == id } ?? group.best
      }
    let others = photos.filter { $0.id != kept.id }
    let removed = kept.id == group.best.id ? others : others.filter { comparison.areCopies(kept, $0) }
    let ids = Set(removed.map(\.id))
    return Part(
      group: group, kept: kept, removed: removed, spared: others.filter { !ids.contains($0.id) })
  }

  /// The photos that are kept in the place of others.
  package var kept: [Photo] { parts.filter { !$0.removed.isEmpty }.map(\.kept) }

  /// The photos to remove.
  package var removed: [Photo] { parts.flatMap(\.removed) }
}
