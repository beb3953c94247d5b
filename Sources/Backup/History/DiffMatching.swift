/// Matches photos of one identity on two sides: by equal values first, then by equal name, then in any order. The
/// result depends neither on the order of the photos nor on which side is first.
enum DiffMatching {
  typealias Photos = [DiffSide.Photo]

  /// - Returns: the pairs, and the unmatched photos of each side.
  static func pairs(
    _ old: Photos, _ new: Photos
  ) -> (pairs: [(DiffSide.Photo, DiffSide.Photo)], left: (old: Photos, new: Photos)) {
    var (old, new) = (old, new)
    var pairs: [(DiffSide.Photo, DiffSide.Photo)] = []
    guard !old.isEmpty, !new.isEmpty else { return ([], (old, new)) }
    if old.count == 1, new.count == 1 { return ([(old[0], new[0])], ([], [])) }
    for likeness in Likeness.allCases {
      var found: [Key: Photos] = [:]
      for photo in new.sorted(by: precedes).reversed() {
        found[Key(photo, likeness), default: []].append(photo)
      }
      var unmatched: Photos = []
      for photo in old.sorted(by: precedes) {
        if let match = found[Key(photo, likeness)]?.popLast() {
          pairs.append((photo, match))
        } else {
          unmatched.append(photo)
        }
      }
      old = unmatched
      new = found.values.flatMap { $0 }
    }
    return (pairs, (old, new))
  }

  private enum Likeness: CaseIterable { case values, name, identity }

  private struct Key: Hashable {
    var name: String?
    var fileName: String?
    var createdAt: Int64?

    init(_ photo: DiffSide.Photo, _ likeness: Likeness) {
      guard likeness != .identity else { return }
      name = photo.name
      guard likeness == .values else { return }
      fileName = photo.fileName
      createdAt = photo.createdAt
    }
  }

  /// Compares all values: if neither photo precedes the other, they are equal.
  private static func precedes(_ one: DiffSide.Photo, _ other: DiffSide.Photo) -> Bool {
    (one.name, one.createdAt, one.fileName, one.id) < (other.name, other.createdAt, other.fileName, other.id)
  }
}

extension DiffSide.Photo {
  /// Returns true if all compared values are equal. Ignores the file name if a side is unknown: a JSON document has
  /// the name of the file in its library, which may differ from the original name.
  func hasValues(of other: DiffSide.Photo) -> Bool {
    name == other.name && createdAt == other.createdAt
      && (fileName == other.fileName || isUnknown || other.isUnknown)
  }

  /// True if the MD5 of the photo is unknown.
  var isUnknown: Bool {
    if case .unknown = content { true } else { false }
  }

  /// The content for comparison with a side that does not know the MD5.
  var contentByName: DiffSide.Content {
    switch content {
    case .asset: content
    case .file, .unknown: .unknown(name: name, size: size)
    }
  }
}
