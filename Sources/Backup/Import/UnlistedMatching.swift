import PhotoLibrary

/// Matches photos in an unlisted category, of the backup or of the library.
///
/// Such a photo is identified by its content alone, so it matches equal content in any category. A backup states
/// for each content how many photos are in each category, and how many there are in all. The library becomes the
/// smallest one that satisfies all these statements: a photo leaves an unlisted category when a backup lists its
/// category, and moves to the unlisted category with the lowest id that any backup gives it. So the order of
/// imports does not matter, and a category that an app omitted causes no duplicate photos.
struct UnlistedMatching {
  /// The indices of incoming photos whose match in the library moves to their category.
  private(set) var moves: Set<Int> = []

  private let incoming: [Photo]
  private let existing: [Photo]
  /// The id in the name of each unlisted category, by the category's id in the library.
  private let unlisted: [Int64: Int64]

  /// The photos with equal content on both sides, by index: photos in known categories, and photos in unlisted
  /// categories in the order of their ids.
  private struct Group {
    var existing: [Int] = []
    var existingUnlisted: [Int] = []
    var incoming: [Int] = []
    var incomingUnlisted: [Int] = []
  }

  /// - Parameters:
  ///   - categories: the categories of the library and of the backup, with the library's ids.
  ///   - matches: the match of each incoming photo in its own category. Changed if a photo of an unlisted category
  ///     has the same content.
  ///   - isMissing: returns true if the backup does not have the photo.
  init(
    _ incoming: [Photo], with existing: [Photo], _ categories: some Sequence<PhotoLibrary.Category>,
    _ matches: inout [Int?], isMissing: (Int) -> Bool
  ) {
    self.incoming = incoming
    self.existing = existing
    var unlisted: [Int64: Int64] = [:]
    for category in categories {
      if let id = UnlistedCategory.id(of: category) { unlisted[category.id] = id }
    }
    self.unlisted = unlisted
    guard !unlisted.isEmpty else { return }
    var taken: Set<Int> = []
    for group in groups(isMissing: isMissing) { match(group, &matches, &taken) }
    // photos that the backup does not have get the remaining matches
    for index in incoming.indices where isMissing(index) {
      if let match = matches[index], !taken.insert(match).inserted { matches[index] = nil }
    }
  }

  private func groups(isMissing: (Int) -> Bool) -> [Group] {
    var places: [PhotoIdentity: Int] = [:]
    var groups: [Group] = []
    for photo in (existing + incoming) where unlisted[photo.categoryId] != nil {
      let content = PhotoIdentity(photo).withoutCategory
      guard places[content] == nil else { continue }
      places[content] = groups.count
      groups.append(Group())
    }
    guard !groups.isEmpty else { return [] }
    for (index, photo) in existing.enumerated() {
      guard let place = places[PhotoIdentity(photo).withoutCategory] else { continue }
      let list = unlisted[photo.categoryId] == nil ? \Group.existing : \Group.existingUnlisted
      groups[place][keyPath: list].append(index)
    }
    for (index, photo) in incoming.enumerated() where !isMissing(index) {
      guard let place = places[PhotoIdentity(photo).withoutCategory] else { continue }
      let list = unlisted[photo.categoryId] == nil ? \Group.incoming : \Group.incomingUnlisted
      groups[place][keyPath: list].append(index)
    }
    for place in groups.indices {
      groups[place].existingUnlisted.sort { unlistedID(existing[$0]) < unlistedID(existing[$1]) }
      groups[place].incomingUnlisted.sort { unlistedID(incoming[$0]) < unlistedID(incoming[$1]) }
    }
    return groups
  }

  private func unlistedID(_ photo: Photo) -> Int64 { unlisted[photo.categoryId] ?? 0 }

  private mutating func match(_ group: Group, _ matches: inout [Int?], _ taken: inout Set<Int>) {
    var waiting = group.existingUnlisted[...]
    for index in group.incoming where matches[index] == nil {
      guard let found = waiting.popFirst() else { break }
      matches[index] = found
      moves.insert(index)
    }
    let matched = Set(group.incoming.compactMap { matches[$0] })
    var known = group.existing.filter { !matched.contains($0) }[...]
    for index in group.incomingUnlisted {
      if let found = known.popFirst() {
        matches[index] = found
      } else if let found = waiting.popFirst() {
        matches[index] = found
        if unlistedID(incoming[index]) < unlistedID(existing[found]) {
          moves.insert(index)
        }
      } else {
        matches[index] = nil
      }
    }
    taken.formUnion((group.incoming + group.incomingUnlisted).compactMap { matches[$0] })
  }
}
