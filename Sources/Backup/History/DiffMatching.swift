/// Matches photos of one identity on two sides: first those of equal values, then those of equal name, then any. What
/// is matched does not depend on the order in which the photos come, nor on which side is which.
enum DiffMatching {
  typealias Photos = [DiffSide.Photo]

  /// - Returns: the pairs, and what is left on one side or the other.
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

  /// By everything: photos of which neither precedes the other are equal, but for their ids on their sides.
  private static func precedes(_ one: DiffSide.Photo, _ other: DiffSide.Photo) -> Bool {
    (one.name, one.createdAt, one.fileName, one.id) < (other.name, other.createdAt, other.fileName, other.id)
  }
}

extension DiffSide.Photo {
  /// Whether nothing that is compared differs. A JSON document says where a file lies in its library, which may be
  /// under another name than it had.
  func hasValues(of other: DiffSide.Photo) -> Bool {
    name == other.name && createdAt == other.createdAt
      && (fileName == other.fileName || isUnknown || other.isUnknown)
  }

  /// Whether its bytes are not known.
  var isUnknown: Bool {
    if case .unknown = content { true } else { false }
  }

  /// What it is to a side that does not know its bytes.
  var contentByName: DiffSide.Content {
    switch content {
    case .asset: content
    case .file, .unknown: .unknown(name: name, size: size)
    }
  }
}
