/// A selection of photos of a library. A photo must meet one condition of each kind that is given.
public struct LibrarySelection: Sendable, Equatable {
  /// The IDs of photos.
  public var ids: [Int64] = []
  /// Patterns for the name or the file name of photos.
  public var names: [String] = []
  /// Categories, by the displayed name or by `name`.
  public var categories: [String] = []
  /// The times when photos were taken.
  public var taken = TakenRange()

  /// Selects nothing.
  public init() {}

  /// True if the selection has no conditions.
  public var isEmpty: Bool { self == LibrarySelection() }

  /// True if it selects categories with all their photos.
  var selectsWholeCategories: Bool { ids.isEmpty && names.isEmpty && taken.isUnlimited }

  /// Returns the selected photos, in the library's order.
  ///
  /// - Throws: `LibraryError.noSuchCategory` or `.noSuchPhoto` if a condition matches nothing. Dates may match nothing if
  ///   no other condition selects photos.
  package func photos(of library: LibraryContents) throws(LibraryError) -> [Photo] {
    guard !isEmpty else { return [] }
    let categories = try library.categories.named(categories)
    let categoryIDs = Set(categories.map(\.id))
    let ids = Set(ids)
    if let id = ids.subtracting(library.photos.map(\.id)).min() {
      throw LibraryError.noSuchPhoto("the ID \(id)")
    }
    let patterns = names.map(NamePattern.init)
    let photos = library.photos.filter { photo in
      (ids.isEmpty || ids.contains(photo.id))
        && (categoryIDs.isEmpty || categoryIDs.contains(photo.categoryId))
        && (patterns.isEmpty || patterns.contains { $0.matches(photo) })
        && taken.contains(photo.createdAt)
    }
    for pattern in patterns where !photos.contains(where: { pattern.matches($0) }) {
      let place =
        (categories.isEmpty ? "" : " in these categories") + (taken.isUnlimited ? "" : " at this time")
      throw LibraryError.noSuchPhoto("a name like “\(pattern)”\(place)")
    }
    if let id = ids.subtracting(photos.map(\.id)).min() {
      throw LibraryError.noSuchPhoto("the ID \(id) and matches the other options")
    }
    return photos
  }
}

extension NamePattern {
  /// Returns true if the name of a photo or of its file matches.
  func matches(_ photo: Photo) -> Bool { matches(photo.name) || matches(photo.fileName) }
}

extension [Category] {
  /// Returns the categories with these displayed names, in the order of this array. A name that no category displays is
  /// compared with `Category.name`: the `name` of one category can be the displayed name of another.
  ///
  /// - Throws: `LibraryError.noSuchCategory` if no category has a name.
  public func named(_ names: [String]) throws(LibraryError) -> [Category] {
    var selected: Set<Int64> = []
    for name in names { selected.formUnion(try matches(of: name).map(\.id)) }
    return filter { selected.contains($0.id) }
  }

  /// Returns the category with a displayed name, or else with that `name`.
  ///
  /// - Throws: `LibraryError.noSuchCategory`; `.ambiguousCategory` if several categories display the name.
  package func one(named name: String) throws(LibraryError) -> Category {
    let found = try matches(of: name)
    guard found.count == 1 else { throw LibraryError.ambiguousCategory(name, found.map(\.name)) }
    return found[0]
  }

  private func matches(of name: String) throws(LibraryError) -> [Category] {
    // Swift compares strings by canonical equivalence, so either normal form matches
    let shown = filter { $0.displayName == name }
    let found = shown.isEmpty ? filter { $0.name == name } : shown
    guard !found.isEmpty else { throw LibraryError.noSuchCategory(name) }
    return found.count == 1 ? found : found.first { $0.name == name }.map { [$0] } ?? found
  }
}
