import Operations
import PhotoLibrary

/// The changes from one backup or library to another: a pure value.
///
/// A photo is identified by its content and its category: a photo that moved to another category counts as removed
/// from the first and added to the second. Photos with equal content match by equal values first, then by equal
/// name, then in any order.
public struct BackupDiff: Sendable, Equatable {
  /// The kind of a change, as restic's diff shows it.
  public enum Modifier: String, Sendable, CaseIterable {
    /// Only the second side has the item.
    case added = "+"
    /// Only the first side has the item.
    case removed = "-"
    /// Both sides have the item, with different values.
    case changed = "M"
  }

  /// The category or photo that changed.
  public enum Subject: Sendable, Equatable {
    /// A category; nil on a side that does not have it.
    case category(from: DiffSide.Category?, to: DiffSide.Category?)
    /// A photo; nil on a side that does not have it.
    case photo(from: DiffSide.Photo?, to: DiffSide.Photo?)
  }

  /// One change.
  public struct Change: Sendable, Equatable {
    /// The kind of the change.
    public var modifier: Modifier
    /// The category or photo on both sides.
    public var subject: Subject
  }

  /// Changes of categories by name, then of photos by category, name and date.
  public let changes: [Change]

  /// Compares two sides.
  public init(from old: DiffSide, to new: DiffSide) {
    changes = Self.categories(old, new) + Self.photos(old, new)
  }

  /// Returns the number of changes of a kind.
  public func count(_ modifier: Modifier, photos: Bool) -> Int {
    changes.count { $0.modifier == modifier && $0.isPhoto == photos }
  }

  /// Returns the bytes of the added or removed photos.
  public func bytes(_ modifier: Modifier) -> Int {
    changes.reduce(0) { sum, change in
      guard change.modifier == modifier, case .photo(let from, let to) = change.subject else { return sum }
      return sum.saturated(plus: (to ?? from)?.size ?? 0)
    }
  }

  // MARK: Categories

  private static func categories(_ old: DiffSide, _ new: DiffSide) -> [Change] {
    // the first of two categories with one name counts; only a malformed backup has two
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
      // an unknown MD5 on one side does not make a file different; files with known MD5s were compared above
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
  /// True if the change concerns a photo, false if a category.
  public var isPhoto: Bool {
    if case .photo = subject { true } else { false }
  }

  /// The key to sort by: category, name and date, then everything else, so that equal inputs give equal lists.
  fileprivate var sortKey: DiffSortKey {
    guard case .photo(let from, let to) = subject, let photo = to ?? from else { return DiffSortKey() }
    let other = to == nil ? nil : from
    return DiffSortKey(
      texts: [photo.category, photo.name, photo.fileName, modifier.rawValue, other?.name ?? ""],
      numbers: [photo.createdAt, photo.id, other?.createdAt ?? 0, other?.id ?? 0])
  }
}

/// The order of changes.
private struct DiffSortKey {
  var texts: [String] = []
  var numbers: [Int64] = []

  func precedes(_ other: DiffSortKey) -> Bool {
    if texts != other.texts { return texts.lexicographicallyPrecedes(other.texts) }
    return numbers.lexicographicallyPrecedes(other.numbers)
  }
}
