import PhotoLibrary

/// Matches photos in an unlisted category, of the backup or of the library.
///
/// Such a photo is identified by its content alone, so it matches equal content in any category. Example: the backup
/// of phone A has a photo in the unlisted category 7, and the backup of phone B has the same photo in “Family”. The
/// import of both, in any order, leaves one photo, in “Family”.
///
/// For each content, the library then has at least as many photos as every single backup, in each listed category and
/// in all, and no more than that requires. A photo leaves an unlisted category when a backup lists its category. A
/// photo that is only in unlisted categories is in the one with the lowest id. So the order of imports does not matter,
/// and a category that an app omitted causes no duplicate photos.
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
  ///   - lacksIntactFile: returns true if the photo's file is missing or corrupt in the backup.
  init(
    _ incoming: [Photo], with existing: [Photo], _ categories: some Sequence<PhotoLibrary.Category>,
    _ matches: inout [Int?], lacksIntactFile: (Int) -> Bool
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
    for group in groups(lacksIntactFile: lacksIntactFile) { match(group, &matches, &taken) }
    // photos that the backup does not have get the remaining matches
    for index in incoming.indices where lacksIntactFile(index) {
      if let match = matches[index], !taken.insert(match).inserted { matches[index] = nil }
    }
  }

  private func groups(lacksIntactFile: (Int) -> Bool) -> [Group] {
    var groupIndices: [PhotoIdentity: Int] = [:]
    var groups: [Group] = []
    for photo in [existing, incoming].joined() where unlisted[photo.categoryId] != nil {
      guard groupIndices[photo.identity] == nil else { continue }
      groupIndices[photo.identity] = groups.count
      groups.append(Group())
    }
    guard !groups.isEmpty else { return [] }
    for (index, photo) in existing.enumerated() {
      guard let group = groupIndices[photo.identity] else { continue }
      let list = unlisted[photo.categoryId] == nil ? \Group.existing : \Group.existingUnlisted
      groups[group][keyPath: list].append(index)
    }
    for (index, photo) in incoming.enumerated() where !lacksIntactFile(index) {
      guard let group = groupIndices[photo.identity] else { continue }
      let list = unlisted[photo.categoryId] == nil ? \Group.incoming : \Group.incomingUnlisted
      groups[group][keyPath: list].append(index)
    }
    for group in groups.indices {
      groups[group].existingUnlisted.sort { unlistedID(existing[$0]) < unlistedID(existing[$1]) }
      groups[group].incomingUnlisted.sort { unlistedID(incoming[$0]) < unlistedID(incoming[$1]) }
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
