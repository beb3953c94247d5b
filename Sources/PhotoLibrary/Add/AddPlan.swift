import Checksums
import Foundation
import Operations

/// The rows that `add` inserts. The caller adds the photos one by one.
struct AddPlan {
  private(set) var edit = LibraryEdit()
  private var staged: [(name: String, md5: MD5Digest)] = []
  private var skipped = 0
  private var categories: [String: Category]
  private var known: Set<Content>
  private var categoryIds: IDs
  private var photoIds: IDs
  private var lastPosition: Int
  private let category: String?
  private let now: Int64

  /// The identity of a photo: equal bytes in one category are one photo.
  private struct Content: Hashable {
    var category: Int64
    var md5: MD5Digest
  }

  init(_ library: LibraryContents, _ category: String?, now: Int64) {
    self.category = category
    self.now = now
    categories = Dictionary(uniqueKeysWithValues: library.categories.map { ($0.name, $0) })
    known = Set(
      library.photos.compactMap { photo in
        photo.md5.map { Content(category: photo.categoryId, md5: $0) }
      })
    categoryIds = IDs(used: library.categories.map(\.id))
    photoIds = IDs(used: library.photos.map(\.id))
    lastPosition = library.categories.map(\.position).max() ?? -1
  }

  /// Adds a photo; returns false if its category has its content already.
  mutating func add(_ file: PhotoSearch.Found, md5: MD5Digest, size: Int, stagedName: String) -> Bool {
    let categoryId = categoryId(named: category ?? file.folder)
    guard known.insert(Content(category: categoryId, md5: md5)).inserted else {
      skipped += 1
      return false
    }
    let fileName = file.path.lastComponent?.string ?? "photo"
    edit.newPhotos.append(
      Photo(
        id: photoIds.next(), categoryId: categoryId, name: file.path.stem ?? fileName, path: "",
        originalPath: fileName, createdAt: file.header.taken?.milliseconds ?? file.modified,
        fileSize: size, width: file.header.width, height: file.header.height, md5: md5))
    staged.append((stagedName, md5))
    return true
  }

  private mutating func categoryId(named displayName: String) -> Int64 {
    let name = Category.name(forDisplayName: displayName)
    if let category = categories[name] { return category.id }
    if lastPosition < .max { lastPosition += 1 }
    let category = Category(
      id: categoryIds.next(), name: name, displayName: displayName, position: lastPosition, createdAt: now,
      valuesAsOf: now)
    categories[name] = category
    edit.newCategories.append(category)
    return category.id
  }

  /// Chooses the place of every new photo in the library.
  mutating func place(_ writer: LibraryWriter) throws -> [Change.StagedFile] {
    let paths = try writer.newPaths(for: edit.newPhotos.map { ($0.fileName, $0.createdAt) })
    for (index, path) in paths.enumerated() { edit.newPhotos[index].path = path }
    return zip(staged, paths).map { Change.StagedFile(name: $0.name, path: $1, md5: $0.md5) }
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
