import FileSystem
import SystemPackage

/// What is to be removed. Each kind of condition narrows the selection to what also meets it; of one kind any may
/// be met. A category named alone goes with its photos; together with other conditions it only narrows.
public struct RemoveSelection: Sendable, Equatable {
  /// Photos of these ids.
  public var ids: [Int64] = []
  /// Photos whose name, or file name, matches one of these.
  public var names: [String] = []
  /// Photos in these categories, by `name` or by the name that the app shows.
  public var categories: [String] = []

  /// Nothing.
  public init() {}

  /// Nothing is selected.
  public var isEmpty: Bool { ids.isEmpty && names.isEmpty && categories.isEmpty }
}

/// Which photos and categories go: a pure function of the library and the selection.
public struct RemovePlan: Sendable {
  /// The photos that go.
  public private(set) var photos: [Photo] = []
  /// The categories that go, empty by then.
  public private(set) var categories: [Category] = []

  /// Bytes of the photos' files.
  public var bytes: Int { photos.reduce(0) { $0 + ($1.isFromAssets ? 0 : $1.fileSize) } }

  /// How much goes.
  var removal: Removal { Removal(photos: photos.count, categories: categories.count) }

  /// - Throws: `LibraryError.noSuchCategory` or `.noSuchPhoto` where a condition meets nothing.
  public init(_ library: LibraryContents, _ selection: RemoveSelection) throws {
    let categories = try library.categories.named(selection.categories)
    let categoryIds = Set(categories.map(\.id))
    let ids = Set(selection.ids)
    if let id = ids.subtracting(library.photos.map(\.id)).min() {
      throw LibraryError.noSuchPhoto("the id \(id)")
    }
    let patterns = selection.names.map(NamePattern.init)
    photos = library.photos.filter { photo in
      (ids.isEmpty || ids.contains(photo.id))
        && (categoryIds.isEmpty || categoryIds.contains(photo.categoryId))
        && (patterns.isEmpty || patterns.contains { $0.matches(photo.name) || $0.matches(photo.fileName) })
    }
    for pattern in patterns
    where !photos.contains(where: { pattern.matches($0.name) || pattern.matches($0.fileName) }) {
      throw LibraryError.noSuchPhoto("a name like “\(pattern)”" + (categories.isEmpty ? "" : " there"))
    }
    if let id = ids.subtracting(photos.map(\.id)).min() {
      throw LibraryError.noSuchPhoto("the id \(id) and meets the other conditions")
    }
    if ids.isEmpty, patterns.isEmpty { self.categories = categories }
  }

  /// The rows' part of it.
  var edit: LibraryEdit {
    var edit = LibraryEdit()
    edit.removedPhotos = photos.map(\.id)
    edit.removedCategories = categories.map(\.id)
    return edit
  }
}

extension [Category] {
  /// Those that the app shows under these names, or whose `name` it is where none is shown so, in their order here: one
  /// category's `name` may be what another is shown as.
  ///
  /// - Throws: `LibraryError.noSuchCategory` for a name that no category has.
  public func named(_ names: [String]) throws(LibraryError) -> [Category] {
    var selected: Set<Int64> = []
    for name in names {
      // Swift compares strings by canonical equivalence, so the shell may give either normal form
      let shown = filter { $0.displayName == name }
      let found = shown.isEmpty ? filter { $0.name == name } : shown
      guard !found.isEmpty else { throw LibraryError.noSuchCategory(name) }
      selected.formUnion(found.map(\.id))
    }
    return filter { selected.contains($0.id) }
  }
}
