import Operations
import PhotoLibrary

/// What has changed from one backup or library to another: a pure value.
///
/// A photo is its content in its category, as everywhere: one that went into another category was removed from the one
/// and added to the other. Of several of one content, those of equal values are matched first, then those of equal
/// name, then any.
public struct BackupDiff: Sendable, Equatable {
  /// What became of something, as restic's diff shows it.
  public enum Modifier: String, Sendable, CaseIterable {
    /// Only the second side has it.
    case added = "+"
    /// Only the first side has it.
    case removed = "-"
    /// Both have it, with other values.
    case changed = "M"
  }

  /// What changed.
  public enum Subject: Sendable, Equatable {
    /// A category; nil on the side that has none.
    case category(from: DiffSide.Category?, to: DiffSide.Category?)
    /// A photo; nil on the side that has none.
    case photo(from: DiffSide.Photo?, to: DiffSide.Photo?)
  }

  /// One change.
  public struct Change: Sendable, Equatable {
    /// What became of it.
    public var modifier: Modifier
    /// What it is on both sides.
    public var subject: Subject
  }

  /// Categories by name, then photos by category, name and date.
  public let changes: [Change]

  /// Compares two sides.
  public init(from old: DiffSide, to new: DiffSide) {
    changes = Self.categories(old, new) + Self.photos(old, new)
  }

  /// How many changes of a kind there are.
  public func count(_ modifier: Modifier, photos: Bool) -> Int {
    changes.count { $0.modifier == modifier && $0.isPhoto == photos }
  }

  /// Bytes of the photos that were added, or removed.
  public func bytes(_ modifier: Modifier) -> Int {
    changes.reduce(0) { sum, change in
      guard change.modifier == modifier, case .photo(let from, let to) = change.subject else { return sum }
      return sum.saturated(plus: (to ?? from)?.size ?? 0)
    }
  }

  // MARK: Categories

  private static func categories(_ old: DiffSide, _ new: DiffSide) -> [Change] {
    // of two of one name, which only a strange backup has, the first counts
    let before = Dictionary(old.categories.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Dictionary(new.categories.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return Set(before.keys).union(after.keys).sorted().compactMap { name in
      let (from, to) = (before[name], after[name])
      guard from != to else { return nil }
      return Change(modifier: modifier(from != nil, to != nil), subject: .category(from: from, to: to))
    }
  }

  private static func modifier(_ isBefore: Bool, _ isAfter: Bool) -> Modifier {
    isBefore ? isAfter ? .changed : .removed : .added
  }

  // MARK: Photos

  private struct Identity: Hashable {
    var category: String
    var content: DiffSide.Content
  }

  private static func photos(_ old: DiffSide, _ new: DiffSide) -> [Change] {
    var rest = (old: [DiffSide.Photo](), new: [DiffSide.Photo]())
    var changes: [Change] = []
    func match(
      _ old: [DiffSide.Photo], _ new: [DiffSide.Photo], by identity: (DiffSide.Photo) -> Identity
    ) {
      var groups: [Identity: (old: [DiffSide.Photo], new: [DiffSide.Photo])] = [:]
      for photo in old { groups[identity(photo), default: ([], [])].old.append(photo) }
      for photo in new { groups[identity(photo), default: ([], [])].new.append(photo) }
      rest = ([], [])
      for (_, group) in groups {
        let (pairs, left) = DiffMatching.pairs(group.old, group.new)
        changes += pairs.filter { !$0.hasValues(of: $1) }.map {
          Change(modifier: .changed, subject: .photo(from: $0, to: $1))
        }
        rest.old += left.old
        rest.new += left.new
      }
    }
    match(old.photos, new.photos) { Identity(category: $0.category, content: $0.content) }
    if rest.old.contains(where: \.isUnknown) || rest.new.contains(where: \.isUnknown) {
      // what one side does not know of a file does not make it another; two that are known were compared
      let known = (old: rest.old.filter { !$0.isUnknown }, new: rest.new.filter { !$0.isUnknown })
      let byName = { (photo: DiffSide.Photo) in
        Identity(category: photo.category, content: photo.contentByName)
      }
      let unknown = (old: rest.old.filter(\.isUnknown), new: rest.new.filter(\.isUnknown))
      match(unknown.old, known.new, by: byName)
      let first = rest
      match(known.old, unknown.new, by: byName)
      rest = (first.old + rest.old, first.new + rest.new)
    }
    changes += rest.old.map { Change(modifier: .removed, subject: .photo(from: $0, to: nil)) }
    changes += rest.new.map { Change(modifier: .added, subject: .photo(from: nil, to: $0)) }
    return changes.map { ($0.sortKey, $0) }.sorted { $0.0.precedes($1.0) }.map(\.1)
  }
}

extension BackupDiff.Change {
  /// Whether it is a photo, and no category.
  public var isPhoto: Bool {
    if case .photo = subject { true } else { false }
  }

  /// By category, name and date; what is left is told apart by everything else, so that equal inputs give equal lists.
  fileprivate var sortKey: DiffSortKey {
    guard case .photo(let from, let to) = subject, let photo = to ?? from else { return DiffSortKey() }
    let other = to == nil ? nil : from
    return DiffSortKey(
      texts: [photo.category, photo.name, photo.fileName, modifier.rawValue, other?.name ?? ""],
      numbers: [photo.createdAt, photo.id, other?.createdAt ?? 0, other?.id ?? 0])
  }
}

/// What changes are sorted by.
private struct DiffSortKey {
  var texts: [String] = []
  var numbers: [Int64] = []

  func precedes(_ other: DiffSortKey) -> Bool {
    if texts != other.texts { return texts.lexicographicallyPrecedes(other.texts) }
    return numbers.lexicographicallyPrecedes(other.numbers)
  }
}
