import Checksums
import PhotoLibrary

/// The identity of a photo: its content in its category; for an asset of the app, its path in its category.
enum PhotoIdentity: Hashable {
  /// `variant` distinguishes photos whose bytes differ although their MD5s and sizes are equal.
  case file(MD5Digest, size: Int, category: Int64, variant: Int)
  case asset(path: String, category: Int64)

  init(_ photo: Photo, variant: Int = 0) {
    if let md5 = photo.md5 {
      self = .file(md5, size: photo.fileSize, category: photo.categoryId, variant: variant)
    } else {
      self = .asset(path: photo.path, category: photo.categoryId)
    }
  }
}

/// Matches each photo of a backup with at most one photo of the library: by equal rows first, then by equal name,
/// then by identity alone. Needs only a few passes over both sides.
///
/// Matches photos that are missing or corrupt in the backup after all others. Otherwise one of them could take the
/// match of a photo that the backup has, and each import would add that photo again.
enum PhotoMatching {
  /// The values that must be equal for two photos of one identity to match.
  private struct Key: Hashable {
    enum Likeness: CaseIterable { case values, name, identity }

    var identity: PhotoIdentity
    var name: String?
    var originalPath: String?
    var numbers: [Int64] = []

    init(_ photo: Photo, _ identity: PhotoIdentity, _ likeness: Likeness) {
      self.identity = identity
      guard likeness != .identity else { return }
      name = photo.name
      guard likeness == .values else { return }
      originalPath = photo.originalPath
      numbers = [photo.createdAt, Int64(photo.width), Int64(photo.height)]
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
  ///
  /// - Parameter variants: the variants of the contents; those of incoming photos by their index in `incoming`.
  static func match(
    _ incoming: [Photo], with existing: [Photo], _ variants: ContentVariants = ContentVariants(),
    lacksIntactFile: (Int) -> Bool
  ) -> [Int?] {
    var matches = [Int?](repeating: nil, count: incoming.count)
    // most identities have one photo on each side, which needs no choice
    var numbers: [PhotoIdentity: (existing: Number, incoming: Number)] = [:]
    numbers.reserveCapacity(existing.count)
    for index in existing.indices {
      numbers[variants.identity(ofExisting: existing[index]), default: (.none, .none)].existing.add(index)
    }
    for index in incoming.indices {
      if let found = numbers.index(forKey: variants.identity(ofIncoming: incoming[index], at: index)) {
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
      let isChoice = { (identity: PhotoIdentity) in
        switch numbers[identity] {
        case nil, (.one, .one)?, (_, .none)?: false
        default: true
        }
      }
      choose(
        among: existing.indices.filter { isChoice(variants.identity(ofExisting: existing[$0])) },
        of: existing,
        for: incoming.indices.filter { isChoice(variants.identity(ofIncoming: incoming[$0], at: $0)) },
        of: incoming, variants, lacksIntactFile: lacksIntactFile, &matches)
    }
    return matches
  }

  /// Matches photos whose identity occurs several times.
  private static func choose(
    among candidates: [Int], of existing: [Photo], for positions: [Int], of incoming: [Photo],
    _ variants: ContentVariants, lacksIntactFile: (Int) -> Bool, _ matches: inout [Int?]
  ) {
    var isTaken = [Bool](repeating: false, count: existing.count)
    for group in [positions.filter { !lacksIntactFile($0) }, positions.filter(lacksIntactFile)]
    where !group.isEmpty {
      for likeness in Key.Likeness.allCases {
        var free: [Key: [Int]] = [:]
        for index in candidates.reversed() where !isTaken[index] {
          let identity = variants.identity(ofExisting: existing[index])
          free[Key(existing[index], identity, likeness), default: []].append(index)
        }
        for index in group where matches[index] == nil {
          let identity = variants.identity(ofIncoming: incoming[index], at: index)
          guard let found = free[Key(incoming[index], identity, likeness)]?.popLast() else { continue }
          matches[index] = found
          isTaken[found] = true
        }
      }
    }
  }
}
