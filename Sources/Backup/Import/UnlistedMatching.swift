import PhotoLibrary

/// Matches photos whose category is not known: those in an unlisted category, of the backup or of the library.
///
/// Such a photo is its content alone, so it is matched with equal content in any category. A backup states of each
/// content how many photos lie in which category, and how many there are in all. The library becomes the smallest one
/// of which all of that is true: a photo moves out of an unlisted category when a backup lists its category, and to the
/// unlisted category with the lowest id that any backup gives it. So the order of imports does not matter, and nothing
/// is there twice because an app left out a category.
struct UnlistedMatching {
  /// The incoming photos, by index, to whose category the matched photo of the library moves.
  private(set) var moves: Set<Int> = []

  private let incoming: [Photo]
  private let existing: [Photo]
  /// The id that an unlisted category is named after, by the category's id in the library.
  private let unlisted: [Int64: Int64]

  /// Equal content on both sides, by index: photos in known categories, and the others in the order of their ids.
  private struct Group {
    var existing: [Int] = []
    var existingUnlisted: [Int] = []
    var incoming: [Int] = []
    var incomingUnlisted: [Int] = []
  }

  /// - Parameters:
  ///   - categories: those of the library and of the backup, with the library's ids.
  ///   - matches: for each incoming photo the one it is matched with in its own category; changed where a photo of an
  ///     unlisted category has the same content.
  ///   - isMissing: whether the backup does not hold the photo.
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
    // what the backup does not hold gets what is left
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
