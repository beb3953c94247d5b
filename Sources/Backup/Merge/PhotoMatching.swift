import PhotoLibrary

/// Matches each photo of a backup with at most one photo of the library: by equal rows first, then by equal name,
/// then by identity alone. Needs only a few passes over both sides.
///
/// Matches photos that are missing or corrupt in the backup after all others. Otherwise one of them could take the
/// match of a photo that the backup has, and each import would add that photo again.
enum PhotoMatching {
  /// The values that must be equal for two photos of one identity to match.
  private struct Key: Hashable {
    enum Likeness: CaseIterable { case values, name, identity }

    var identity: PhotoInCategory
    var name: String?
    var originalPath: String?
    var numbers: [Int64] = []

    init(_ photo: Photo, _ likeness: Likeness) {
      identity = photo.inCategory
      guard likeness != .identity else { return }
      name = photo.name
      guard likeness == .values else { return }
      originalPath = photo.originalPath
      numbers = [photo.createdAt.rawValue, Int64(photo.width), Int64(photo.height)]
    }
  }

  /// The number of photos with one identity.
  private enum Number {
    case none
    /// One photo, by index.
    case one(Int)
    case several

    mutating func add(_ index: Int) {
      if case .none = self { self = .one(index) } else { self = .several }
    }
  }

  /// Returns for each of `incoming` the index of its match in the library.
  static func match(
    _ incoming: [Photo], with existing: [Photo], lacksIntactFile: (Int) -> Bool
  ) -> [Int?] {
    var matches = [Int?](repeating: nil, count: incoming.count)
    // most identities have one photo on each side, which needs no choice
    var numbers: [PhotoInCategory: (existing: Number, incoming: Number)] = [:]
    numbers.reserveCapacity(existing.count)
    for index in existing.indices {
      numbers[existing[index].inCategory, default: (.none, .none)].existing.add(index)
    }
    for index in incoming.indices {
      if let found = numbers.index(forKey: incoming[index].inCategory) {
        numbers.values[found].incoming.add(index)
      }
    }
    var isOpen = false
    for (_, number) in numbers {
      switch (number.existing, number.incoming) {
      case (_, .none): continue
      case (.one(let found), .one(let index)): matches[index] = found
      default: isOpen = true
      }
    }
    if isOpen {
      let isChoice = { (photo: Photo) in
        switch numbers[photo.inCategory] {
        case nil, (.one, .one)?, (_, .none)?: false
        default: true
        }
      }
      choose(
        among: existing.indices.filter { isChoice(existing[$0]) }, of: existing,
        for: incoming.indices.filter { isChoice(incoming[$0]) }, of: incoming,
        lacksIntactFile: lacksIntactFile, &matches)
    }
    return matches
  }

  /// Matches photos whose identity occurs several times.
  private static func choose(
    among candidates: [Int], of existing: [Photo], for positions: [Int], of incoming: [Photo],
    lacksIntactFile: (Int) -> Bool, _ matches: inout [Int?]
  ) {
    var free = candidates.map { ($0, existing[$0]) }
    for group in [positions.filter { !lacksIntactFile($0) }, positions.filter(lacksIntactFile)] {
      let matching = Matching.pairs(
        group.map { ($0, incoming[$0]) }, free,
        by: Key.Likeness.allCases.map { likeness in { Key($0.1, likeness) } })
      for (one, other) in matching.pairs { matches[one.0] = other.0 }
      free = matching.rest.other
    }
  }
}
