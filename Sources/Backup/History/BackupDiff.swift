import Checksums
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
    case category(from: PhotoLibrary.Category?, to: PhotoLibrary.Category?)
    /// A photo in the category of this name; nil on a side that does not have it.
    case photo(category: String, from: Photo?, to: Photo?)
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
      guard change.modifier == modifier, case .photo(_, let from, let to) = change.subject else { return sum }
      return sum.saturated(plus: (to ?? from)?.fileSize ?? 0)
    }
  }

  // MARK: Categories

  private static func categories(_ old: DiffSide, _ new: DiffSide) -> [Change] {
    // the first of two categories with one name counts; only a malformed backup has two
    let before = Dictionary(old.categories.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Dictionary(new.categories.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return Set(before.keys).union(after.keys).sorted().compactMap { name in
      let (from, to) = (before[name], after[name])
      if let from, let to, from.isShown(like: to) { return nil }
      return Change(modifier: modifier(from != nil, to != nil), subject: .category(from: from, to: to))
    }
  }

  private static func modifier(_ isBefore: Bool, _ isAfter: Bool) -> Modifier {
    isBefore ? isAfter ? .changed : .removed : .added
  }

  // MARK: Photos

  /// A photo of a side.
  private struct Item {
    var category: String
    var photo: Photo

    /// Compares all values: if neither photo precedes the other, they are equal.
    static func precedes(_ one: Item, _ other: Item) -> Bool {
      let (one, other) = (one.photo, other.photo)
      return (one.name, one.createdAt, one.fileName, one.id)
        < (other.name, other.createdAt, other.fileName, other.id)
    }
  }

  /// What two photos have in common, which must be equal.
  private struct Key: Hashable {
    enum Likeness: CaseIterable { case values, name, content }

    enum Content: Hashable {
      case file(MD5Digest)
      case asset(String)
      case named(String, size: Int)
    }

    var category: String
    var content: Content
    var name: String?
    var fileName: String?
    var createdAt: Timestamp?

    /// - Parameter ignoresMD5: true if one of the sides does not know the MD5.
    init(_ item: Item, _ likeness: Likeness, ignoresMD5: Bool) {
      let photo = item.photo
      category = item.category
      if photo.isFromAssets {
        content = .asset(photo.path)
      } else if let md5 = photo.md5, !ignoresMD5 {
        content = .file(md5)
      } else {
        content = .named(photo.name, size: photo.fileSize)
      }
      guard likeness != .content else { return }
      name = photo.name
      guard likeness == .values else { return }
      fileName = photo.fileName
      createdAt = photo.createdAt
    }
  }

  private static func photos(_ old: DiffSide, _ new: DiffSide) -> [Change] {
    var changes: [Change] = []
    func match(
      _ old: [Item], _ new: [Item], ignoresMD5: Bool = false
    ) -> (one: [Item], other: [Item]) {
      // only photos of one content can be paired in several ways
      let ordered = { (items: [Item]) in
        Dictionary(grouping: items) { Key($0, .content, ignoresMD5: ignoresMD5) }
          .values.flatMap { $0.sorted(by: Item.precedes) }
      }
      let (pairs, rest) = Matching.pairs(
        ordered(old), ordered(new),
        by: Key.Likeness.allCases.map { likeness in { Key($0, likeness, ignoresMD5: ignoresMD5) } })
      changes += pairs.filter { !$0.photo.isShown(like: $1.photo) }.map {
        Change(modifier: .changed, subject: .photo(category: $0.category, from: $0.photo, to: $1.photo))
      }
      return rest
    }
    let (removed, added) = match(items(of: old), items(of: new))
    // an unknown MD5 on one side does not make a file different; files with known MD5s were compared above
    let isUnknown = { (item: Item) in item.photo.hasUnknownContent }
    let first = match(removed.filter(isUnknown), added.filter { !isUnknown($0) }, ignoresMD5: true)
    let second = match(removed.filter { !isUnknown($0) }, added.filter(isUnknown), ignoresMD5: true)
    changes += (first.one + second.one).map {
      Change(modifier: .removed, subject: .photo(category: $0.category, from: $0.photo, to: nil))
    }
    changes += (first.other + second.other).map {
      Change(modifier: .added, subject: .photo(category: $0.category, from: nil, to: $0.photo))
    }
    return changes.map { (key: $0.sortKey, change: $0) }.sorted { one, other in
      one.key.texts == other.key.texts
        ? one.key.numbers.lexicographicallyPrecedes(other.key.numbers)
        : one.key.texts.lexicographicallyPrecedes(other.key.texts)
    }.map(\.change)
  }

  /// Returns the photos with the names of their categories.
  private static func items(of side: DiffSide) -> [Item] {
    let names = Dictionary(side.categories.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    return side.photos.map { Item(category: names[$0.categoryId] ?? "", photo: $0) }
  }
}

extension PhotoLibrary.Category {
  /// Returns true if all compared values are equal.
  fileprivate func isShown(like other: Self) -> Bool {
    (displayName, position, iconResource, colorHex, isDefault, createdAt)
      == (
        other.displayName, other.position, other.iconResource, other.colorHex, other.isDefault,
        other.createdAt
      )
  }
}

extension Photo {
  /// Returns true if all compared values are equal. Ignores the file name if a side is unknown: a JSON document has
  /// the name of the file in its library, which may differ from the original name.
  fileprivate func isShown(like other: Photo) -> Bool {
    name == other.name && createdAt == other.createdAt
      && (fileName == other.fileName || hasUnknownContent || other.hasUnknownContent)
  }
}

extension BackupDiff.Change {
  /// True if the change concerns a photo, false if a category.
  public var isPhoto: Bool {
    if case .photo = subject { true } else { false }
  }

  /// The key to sort by: category, name and date, then everything else, so that equal inputs give equal lists.
  fileprivate var sortKey: (texts: [String], numbers: [Int64]) {
    guard case .photo(let category, let from, let to) = subject, let photo = to ?? from else {
      return ([], [])
    }
    let other = to == nil ? nil : from
    return (
      texts: [category, photo.name, photo.fileName, modifier.rawValue, other?.name ?? ""],
      numbers: [photo.createdAt.rawValue, photo.id, other?.createdAt.rawValue ?? 0, other?.id ?? 0]
    )
  }
}
