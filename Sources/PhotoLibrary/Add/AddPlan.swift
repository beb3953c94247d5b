import Checksums
import Operations

/// The rows that `add` inserts. The caller adds the photos one by one.
struct AddPlan {
  private(set) var edit = LibraryEdit()
  private var staged: [(name: String, md5: MD5Digest)] = []
  private var skipped = 0
  private var categories: [String: Category]
  /// The categories by their displayed names.
  private var shown: [String: Category]
  /// The indices of the library's photos with each identity; none for a photo that this plan adds.
  private var known: [PhotoInCategory: [Int]]
  private var categoryIds: IDs
  private var photoIds: IDs
  private var lastPosition: Int
  /// The library with the new categories.
  private var contents: LibraryContents
  private let category: String?
  private let now: Timestamp

  /// What the plan does with a file.
  enum Outcome {
    /// It becomes a photo.
    case added
    /// Its category has its content already, in these photos of the library; none if an earlier file of the plan has it.
    case known([Photo])
  }

  init(_ library: LibraryContents, _ category: String?, now: Timestamp) {
    self.category = category
    self.now = now
    contents = library
    categories = Dictionary(uniqueKeysWithValues: library.categories.map { ($0.name, $0) })
    shown = Dictionary(
      library.categories.map { ($0.displayName, $0) }, uniquingKeysWith: { first, _ in first })
    known = Dictionary(grouping: library.photos.indices) { library.photos[$0].inCategory }
    categoryIds = IDs(used: library.categories.map(\.id))
    photoIds = IDs(used: library.photos.map(\.id))
    lastPosition = library.categories.map(\.position).max() ?? -1
  }

  /// Adds a photo if its category does not have its content already.
  mutating func add(_ found: PhotoSearch.Found, _ content: FileContent, stagedName: String) -> Outcome {
    let categoryId = categoryId(named: category ?? found.folder)
    let photo = PhotoInCategory(identity: .file(content), category: categoryId)
    if let equal = known[photo] {
      skipped += 1
      return .known(equal.map { contents.photos[$0] })
    }
    known[photo] = []
    let fileName = found.path.lastComponent?.string ?? "photo"
    edit.newPhotos.append(
      Photo(
        id: photoIds.next(), categoryId: categoryId, name: found.path.stem ?? fileName, path: "",
        originalPath: fileName, createdAt: found.header.taken.map(Timestamp.init) ?? found.modified,
        fileSize: content.size, width: found.header.width, height: found.header.height, md5: content.md5))
    staged.append((stagedName, content.md5))
    return .added
  }

  private mutating func categoryId(named displayName: String) -> Int64 {
    // a person may have renamed a category, so that its `name` is that of another displayed name
    if let category = shown[displayName] { return category.id }
    if let category = categories[Category.name(forDisplayName: displayName)] { return category.id }
    let name = contents.freeName(forDisplayName: displayName)
    if lastPosition < .max { lastPosition += 1 }
    let category = Category(
      id: categoryIds.next(), name: name, displayName: displayName, position: lastPosition, createdAt: now,
      valuesAsOf: now)
    contents.categories.append(category)
    categories[name] = category
    shown[displayName] = category
    edit.newCategories.append(category)
    return category.id
  }

  /// Chooses the place of every new photo in the library.
  mutating func place(_ writer: LibraryWriter) throws -> [Change.StagedFile] {
    let paths = try writer.newPaths(for: edit.newPhotos.map { ($0.fileName, $0.createdAt) })
    for (index, path) in paths.enumerated() { edit.newPhotos[index].path = path }
    edit.returnedPhotos = edit.newPhotos.map(\.id)
    return zip(staged, paths).map { staged, path in
      Change.StagedFile(name: staged.name, path: path, md5: staged.md5)
    }
  }

  func count(into summary: AddSummary) -> AddSummary {
    var summary = summary
    summary.categoriesAdded = edit.newCategories.count
    summary.photosAdded = edit.newPhotos.count
    summary.photosSkipped = skipped
    summary.bytes = edit.newPhotos.saturatedSum(\.fileSize)
    return summary
  }
}
