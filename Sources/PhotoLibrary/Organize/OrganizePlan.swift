import FileSystem

/// A photo before and after a person organized the library.
package struct OrganizedPhoto: Sendable, Equatable {
  /// The photo as it was.
  package let photo: Photo
  /// The displayed name of its category before.
  package let oldCategory: String
  /// The displayed name of its category after.
  package let newCategory: String
  /// The name after.
  package let newName: String
  /// The ID of the photo of the new category that has the same bytes, and stands for both since; nil if the photo
  /// stays.
  package var equalPhoto: Int64?
}

/// A category before and after a person organized the library.
package struct OrganizedCategory: Sendable, Equatable {
  /// The category as it was; nil if it is new.
  package let old: Category?
  /// The category as it is; nil if it is removed.
  package let new: Category?
}

/// The changes of a library that a person wants: a pure function of the library, the request, and the intact files of
/// photos with equal bytes. Files stay in their places.
package struct OrganizePlan: Sendable {
  /// The changes of the rows.
  package private(set) var edit = LibraryEdit()
  /// The photos that change, in the library's order.
  package private(set) var photos: [OrganizedPhoto] = []
  /// The categories that change.
  package private(set) var categories: [OrganizedCategory] = []
  /// The photos whose files are missing or corrupt, and with which moved photos therefore do not become one.
  package private(set) var unusableEqualPhotos: [Photo] = []
  private let library: LibraryContents
  private let now: Timestamp

  /// - Parameters:
  ///   - isIntact: returns true if the file of a photo is intact.
  /// - Throws: `LibraryError` if a category or photo does not exist; `OrganizeError`; what `isIntact` throws.
  package init(
    _ library: LibraryContents, _ request: OrganizeRequest, now: Timestamp,
    isIntact: (Photo) throws -> Bool
  ) throws {
    (self.library, self.now) = (library, now)
    switch request {
    case .add(let values): try add(values)
    case .set(let name, let values): try set(values, of: library.categories.one(named: name))
    case .order(let names): try order(names)
    case .removeEmpty(let name): try removeEmpty(library.categories.one(named: name))
    case .merge(let names, let target): try merge(names, into: target, isIntact)
    case .move(let selection, let target):
      let target = try library.categories.one(named: target)
      try move([(selection.photos(of: library), target)], isIntact)
    case .rename(let id, let name):
      guard let photo = library.photos.first(where: { $0.id == id }) else {
        throw LibraryError.noSuchPhoto("the ID \(id)")
      }
      try rename([(photo, name)])
    case .renameAll(let selection, let template):
      try rename(Self.names(by: template, of: selection.photos(of: library), in: library))
    }
  }

  /// Makes a plan that moves photos to categories.
  ///
  /// - Parameters:
  ///   - groups: the photos for each category. A photo is in one group.
  ///   - isIntact: returns true if the file of a photo is intact.
  /// - Throws: what `isIntact` throws.
  init(
    _ library: LibraryContents, moving groups: [(photos: [Photo], target: Category)],
    now: Timestamp, isIntact: (Photo) throws -> Bool
  ) throws {
    (self.library, self.now) = (library, now)
    try move(groups, isIntact)
  }

  /// The operation for the question of a confirmation.
  var operation: DestructiveOperation {
    let removed = categories.compactMap { $0.new == nil ? $0.old : nil }
    let names = removed.map { "“\($0.displayName)”" }.joined(separator: ", ")
    let target =
      photos.first.map { ", and move \(Count(photos.count, "photo")) to “\($0.newCategory)”" } ?? ""
    return DestructiveOperation("remove \(names)\(target)", removes: Removal(categories: removed.count))
  }

  // MARK: Categories

  private mutating func add(_ values: CategoryValues) throws {
    let displayName = NameRule.stored(values.displayName ?? "")
    try requireFree(displayName, except: nil)
    var ids = IDs(used: library.categories.map(\.id))
    let name = library.freeName(forDisplayName: displayName)
    let last = library.categories.map(\.position).max() ?? -1
    var category = Category(
      id: ids.next(), name: name, displayName: displayName, position: last < .max ? last + 1 : last,
      iconResource: values.iconResource, colorHex: values.colorHex, createdAt: now, valuesAsOf: now)
    category.arrangedAt = now
    var order = library.categories
    if let position = values.position {
      category.position = Self.insert(category, at: position, into: &order)
    }
    edit.newCategories = [category]
    categories = [OrganizedCategory(old: nil, new: category)]
    if values.position != nil { renumber(order, except: category.id) }
  }

  private mutating func set(_ values: CategoryValues, of old: Category) throws {
    var new = old
    if let name = values.displayName {
      new.displayName = NameRule.stored(name)
      try requireFree(new.displayName, except: old)
    }
    if let color = values.colorHex { new.colorHex = color }
    if let icon = values.iconResource { new.iconResource = icon }
    var order = library.categories.filter { $0.id != old.id }
    if let position = values.position {
      new.position = Self.insert(new, at: position, into: &order)
    }
    change(old, to: new)
    if values.position != nil { renumber(order, except: old.id) }
  }

  private mutating func order(_ names: [String]) throws {
    var first: [Category] = []
    for name in names {
      let category = try library.categories.one(named: name)
      guard !first.contains(where: { $0.id == category.id }) else {
        throw OrganizeError.repeatedCategory(category.displayName)
      }
      first.append(category)
    }
    let ids = Set(first.map(\.id))
    renumber(first + library.categories.filter { !ids.contains($0.id) })
  }

  /// Inserts a category at a place, from 1, and returns its position.
  private static func insert(_ category: Category, at place: Int, into order: inout [Category]) -> Int {
    let index = min(max(place, 1) - 1, order.count)
    order.insert(category, at: index)
    return index
  }

  private mutating func renumber(_ order: [Category], except id: Int64? = nil) {
    for (position, category) in order.enumerated() where category.id != id {
      var new = category
      new.position = position
      change(category, to: new)
    }
  }

  /// Changes a category if its values differ. A person's values win over those of later backups.
  private mutating func change(_ old: Category, to new: Category) {
    guard new != old || !new.displayName.utf8.elementsEqual(old.displayName.utf8) else { return }
    var new = new
    // later than before, whatever the clock did
    new.arrangedAt = max(now, old.arrangedAt?.next ?? now)
    new.valuesAsOf = max(now, old.valuesAsOf)
    edit.changedCategories.append(new)
    categories.append(OrganizedCategory(old: old, new: new))
  }

  /// - Throws: `OrganizeError` if a displayed name is not valid, or looks like that of another category.
  private func requireFree(_ displayName: String, except category: Category?) throws {
    if let fault = NameRule.fault(in: displayName) { throw OrganizeError.invalidName(displayName, fault) }
    let folded = NameRule.folded(displayName)
    let other = library.categories.first {
      $0.id != category?.id && NameRule.folded($0.displayName) == folded
    }
    if let other { throw OrganizeError.nameTaken(displayName, by: other.displayName) }
  }

  private mutating func merge(
    _ names: [String], into target: String, _ isIntact: (Photo) throws -> Bool
  ) throws {
    let target = try library.categories.one(named: target)
    var sources: [Category] = []
    for name in names {
      let source = try library.categories.one(named: name)
      if !sources.contains(where: { $0.id == source.id }) { sources.append(source) }
    }
    if let same = sources.first(where: { $0.id == target.id }) {
      throw OrganizeError.mergedIntoItself(same.displayName)
    }
    let ids = Set(sources.map(\.id))
    try move([(library.photos.filter { ids.contains($0.categoryId) }, target)], isIntact)
    edit.removedCategories = sources.map(\.id)
    edit.moves += sources.map { .category($0.id, to: target.name) }
    categories += sources.map { OrganizedCategory(old: $0, new: nil) }
  }

  private mutating func removeEmpty(_ category: Category) throws {
    let count = library.photos.count { $0.categoryId == category.id }
    guard count == 0 else { throw OrganizeError.notEmpty(category.displayName, photos: count) }
    edit.removedCategories = [category.id]
    edit.moves = [.category(category.id, to: nil)]
    categories = [OrganizedCategory(old: category, new: nil)]
  }

  // MARK: Photos

  /// Moves photos. A photo whose bytes the category has already becomes one with that photo, which gets its favorite
  /// mark.
  private mutating func move(
    _ groups: [(photos: [Photo], target: Category)], _ isIntact: (Photo) throws -> Bool
  ) throws {
    let leaving = Set(
      groups.flatMap { group in group.photos.filter { $0.categoryId != group.target.id }.map(\.id) })
    for group in groups { try move(group.photos, to: group.target, leaving: leaving, isIntact) }
  }

  /// - Parameter leaving: the IDs of all photos that move.
  private mutating func move(
    _ moved: [Photo], to target: Category, leaving: Set<Int64>, _ isIntact: (Photo) throws -> Bool
  ) throws {
    var existing: [PhotoIdentity: Photo] = [:]
    for photo in library.photos where photo.categoryId == target.id && !leaving.contains(photo.id) {
      if existing[photo.identity] == nil { existing[photo.identity] = photo }
    }
    var favorites: [Int64: Photo] = [:]
    for photo in moved where photo.categoryId != target.id {
      edit.moves.append(.photo(photo.id, to: target.name))
      var organized = OrganizedPhoto(
        photo: photo, oldCategory: library.category(of: photo) ?? "", newCategory: target.displayName,
        newName: photo.name)
      if let equal = existing[photo.identity] {
        if try equal.isFromAssets || isIntact(equal) {
          organized.equalPhoto = equal.id
          edit.removedPhotos.append(photo.id)
          if photo.isFavorite == true, equal.isFavorite != true {
            favorites[equal.id] = equal
            favorites[equal.id]?.isFavorite = true
          }
          photos.append(organized)
          continue
        }
        if !unusableEqualPhotos.contains(where: { $0.id == equal.id }) { unusableEqualPhotos.append(equal) }
      }
      var new = photo
      new.categoryId = target.id
      edit.changedPhotos.append(new)
      photos.append(organized)
    }
    edit.changedPhotos += favorites.values.sorted { $0.id < $1.id }
  }

  private mutating func rename(_ names: [(photo: Photo, name: String)]) throws {
    for (photo, name) in names {
      if let fault = NameRule.fault(in: name) { throw OrganizeError.invalidName(name, fault) }
      var new = photo
      new.name = NameRule.stored(name)
      guard !new.name.utf8.elementsEqual(photo.name.utf8) else { continue }
      edit.changedPhotos.append(new)
      let category = library.category(of: photo) ?? ""
      photos.append(
        OrganizedPhoto(photo: photo, oldCategory: category, newCategory: category, newName: new.name))
    }
  }

  /// Returns the names of photos by a template. The numbers are in the order of the dates.
  private static func names(
    by template: NameTemplate, of photos: [Photo], in library: LibraryContents
  ) -> [(Photo, String)] {
    let displayNames = Dictionary(library.categories.map { ($0.id, $0.displayName) }) { first, _ in first }
    return photos.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }.enumerated().map { index, photo in
      let category = displayNames[photo.categoryId] ?? ""
      return (photo, template.name(of: photo, in: category, number: index + 1, of: photos.count))
    }
  }
}
