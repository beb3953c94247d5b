import FileSystem
import Operations
import SystemPackage

/// A selection of photos and categories. A photo must meet one condition of each kind that is given. Categories alone
/// are selected with their photos; together with other conditions they only restrict the photos.
public struct RemoveSelection: Sendable, Equatable {
  /// The IDs of photos.
  public var ids: [Int64] = []
  /// Patterns for the name or the file name of photos.
  public var names: [String] = []
  /// Categories, by `name` or by the displayed name.
  public var categories: [String] = []

  /// Selects nothing.
  public init() {}

  /// True if the selection has no conditions.
  public var isEmpty: Bool { ids.isEmpty && names.isEmpty && categories.isEmpty }
}

/// The photos and categories that `remove` removes: a pure function of the library and the selection.
public struct RemovePlan: Sendable {
  /// The photos to remove.
  public private(set) var photos: [Photo] = []
  /// The categories to remove. All their photos are removed too.
  public private(set) var categories: [Category] = []

  /// Bytes of the photos' files.
  public var bytes: Int { photos.saturatedSum { $0.isFromAssets ? 0 : $0.fileSize } }

  /// How much is removed.
  var removal: Removal { Removal(photos: photos.count, categories: categories.count) }

  /// - Throws: `LibraryError.noSuchCategory` or `.noSuchPhoto` if a condition matches nothing.
  public init(_ library: LibraryContents, _ selection: RemoveSelection) throws {
    let categories = try library.categories.named(selection.categories)
    let categoryIds = Set(categories.map(\.id))
    let ids = Set(selection.ids)
    if let id = ids.subtracting(library.photos.map(\.id)).min() {
      throw LibraryError.noSuchPhoto("the ID \(id)")
    }
    let patterns = selection.names.map(NamePattern.init)
    photos = library.photos.filter { photo in
      (ids.isEmpty || ids.contains(photo.id))
        && (categoryIds.isEmpty || categoryIds.contains(photo.categoryId))
        && (patterns.isEmpty || patterns.contains { $0.matches(photo.name) || $0.matches(photo.fileName) })
    }
    for pattern in patterns
    where !photos.contains(where: { pattern.matches($0.name) || pattern.matches($0.fileName) }) {
      throw LibraryError.noSuchPhoto(
        "a name like “\(pattern)”" + (categories.isEmpty ? "" : " in these categories"))
    }
    if let id = ids.subtracting(photos.map(\.id)).min() {
      throw LibraryError.noSuchPhoto("the ID \(id) and matches the other options")
    }
    if ids.isEmpty, patterns.isEmpty { self.categories = categories }
  }

  /// The change of the rows.
  var edit: LibraryEdit {
    var edit = LibraryEdit()
    edit.removedPhotos = photos.map(\.id)
    edit.removedCategories = categories.map(\.id)
    return edit
  }
}

extension [Category] {
  /// Returns the categories with these displayed names, in the order of this array. A name that no category displays is
  /// compared with `Category.name`: the `name` of one category can be the displayed name of another.
  ///
  /// - Throws: `LibraryError.noSuchCategory` if no category has a name.
  public func named(_ names: [String]) throws(LibraryError) -> [Category] {
    var selected: Set<Int64> = []
    for name in names {
      // Swift compares strings by canonical equivalence, so either normal form matches
      let shown = filter { $0.displayName == name }
      let found = shown.isEmpty ? filter { $0.name == name } : shown
      guard !found.isEmpty else { throw LibraryError.noSuchCategory(name) }
      selected.formUnion(found.map(\.id))
    }
    return filter { selected.contains($0.id) }
  }
}
