import PhotoLibrary

/// Repeats what a person moved and removed in the library for the photos of a backup. So an import looks for each photo in
/// its present category, and knows which photos were removed.
///
/// The library has at least as many photos of each content in each category as any backup that it imported. A movement
/// takes one photo of the library from a category to another, and replaying it takes at most one photo of the backup
/// there. So the library has at least as many afterwards, too, and importing the same backup again adds nothing.
struct MovementReplay {
  /// Where a photo of a backup belongs.
  enum Place: Equatable {
    /// The category with this `name`.
    case category(String)
    /// The photo was removed; it was in the category with this `name` before.
    case removed(from: String)
    /// The photo became one with another photo of the backup that has the same bytes.
    case joined

    fileprivate var isUnlisted: Bool {
      if case .category(let name) = self { UnlistedCategory.id(inName: name) != nil } else { false }
    }

    fileprivate var isRemoved: Bool { if case .removed = self { true } else { false } }
  }

  /// A photo of the backup.
  struct Copy {
    let position: Int
    let identity: PhotoIdentity
    /// The `name` of its category in the backup.
    let category: String
    /// True if the backup has the file.
    let hasFile: Bool
  }

  /// The places of those photos that movements concern, by position. All others are in the category that their backup
  /// states.
  private(set) var places: [Int: Place] = [:]
  /// The `name`s of the categories that a person removed or merged into others, and that the library does not have.
  let formerCategories: Set<String>
  private let existing: Set<String>

  /// A movement with its place in the order of all movements.
  private typealias Numbered = (number: Int, movement: Movement)

  /// - Parameters:
  ///   - movements: the movements of the library, oldest first.
  ///   - copies: the photos of the backup.
  ///   - library: the categories of the library.
  init(_ movements: [Movement], of copies: [Copy], _ library: [PhotoLibrary.Category]) {
    existing = Set(library.map(\.name))
    var origins: Set<String> = []
    var ofCategories: [Numbered] = []
    var ofPhotos: [PhotoIdentity: [Numbered]] = [:]
    for (number, movement) in movements.enumerated() {
      switch movement.subject {
      case .category:
        if let name = movement.origin { origins.insert(name) }
        ofCategories.append((number, movement))
      case .photo(let identity):
        ofPhotos[identity, default: []].append((number, movement))
      }
    }
    formerCategories = origins.subtracting(existing)
    let concerned = Set(copies.lazy.filter { origins.contains($0.category) }.map(\.identity))
    let groups = Dictionary(
      grouping: copies.lazy.filter { ofPhotos[$0.identity] != nil || concerned.contains($0.identity) },
      by: \.identity)
    for (identity, copies) in groups {
      let all = ((ofPhotos[identity] ?? []) + ofCategories).sorted { $0.number < $1.number }
      replay(all.map(\.movement), of: copies)
    }
  }
  /// Moves the copies of one photo.
  private mutating func replay(_ movements: [Movement], of copies: [Copy]) {
    var now = copies.map { Place.category($0.category) }
    for movement in movements {
      let moved = Self.indices(of: movement, in: now, of: copies)
      guard let destination = movement.destination else {
        for index in moved {
          guard case .category(let name) = now[index] else { continue }
          // photos that the library did not have when the category was removed are where their backup has them
          now[index] =
            movement.subject == .category ? .category(copies[index].category) : .removed(from: name)
        }
        continue
      }
      var there = now.firstIndex(of: .category(destination))
      for index in moved {
        now[index] = .category(destination)
        guard let other = there, other != index else { continue }
        // the one with a file stays
        let staying = copies[other].hasFile || !copies[index].hasFile ? other : index
        now[staying == other ? index : other] = .joined
        there = staying
      }
    }
    for (copy, place) in zip(copies, now) {
      switch place {
      case .category(let name):
        if name != copy.category, existing.contains(name) { places[copy.position] = place }
      case .removed(let name):
        places[copy.position] = existing.contains(name) ? place : .removed(from: copy.category)
      case .joined:
        places[copy.position] = place
      }
    }
  }

  /// Returns the copies that a movement takes: all of a category, or one photo.
  private static func indices(
    of movement: Movement, in places: [Place], of copies: [Copy]
  ) -> [Int] {
    guard let origin = movement.origin else {
      let removed = places.indices.filter { places[$0].isRemoved }
      let index =
        removed.first { places[$0] == movement.destination.map { .removed(from: $0) } }
        ?? removed.first { copies[$0].category == movement.destination } ?? removed.first
      return index.map { [$0] } ?? []
    }
    if movement.subject == .category { return places.indices.filter { places[$0] == .category(origin) } }
    // a photo in an unlisted category is in any category, as far as its backup tells
    var index = places.firstIndex(of: .category(origin)) ?? places.firstIndex(where: \.isUnlisted)
    if index == nil, UnlistedCategory.id(inName: origin) != nil {
      index = places.firstIndex { if case .category = $0 { true } else { false } }
    }
    return index.map { [$0] } ?? []
  }
}
