import FileSystem
import PhotoLibrary

/// Builds a merge plan.
struct MergePlanning {
  var edit = LibraryEdit()
  private(set) var filesToExtract: [MergePlan.FileToExtract] = []
  /// What happens to each photo of the backup; a photo is left out until it gets another outcome.
  var outcomes: [MergePlan.Outcome]
  private(set) var changedCategoryValues = 0
  private(set) var warnings: [String] = []

  /// - Parameter photos: the number of photos of the backup.
  init(photos: Int) { outcomes = Array(repeating: .missing, count: photos) }

  /// The library's categories after the import.
  struct Categories {
    /// The category of each id of the backup. A category that a person removed or merged into another is not among them
    /// if no photo of the backup goes there.
    var byID: [Int64: PhotoLibrary.Category] = [:]
    /// The categories by `name`.
    var byName: [String: PhotoLibrary.Category] = [:]
  }

  /// Adds the backup's categories to those of the library.
  mutating func mergeCategories(
    _ metadata: Metadata, _ library: LibraryContents, _ places: PhotoPlaces = .inBackup, updates: Bool
  ) -> Categories {
    var result = Categories()
    for category in library.categories { result.byName[category.name] = category }
    var ids = IDs(used: library.categories.map(\.id), wanted: metadata.categories.map(\.id))
    var fromThisBackup: Set<String> = []
    for record in metadata.categories {
      let incoming = PhotoLibrary.Category(record, exportDate: metadata.exportDate)
      guard places.uses(incoming.name) else { continue }
      var category = result.byName[incoming.name] ?? incoming
      if !fromThisBackup.insert(incoming.name).inserted {
        warnings.append(
          "two categories of the backup are named “\(incoming.name.escaped)”; they were merged")
      } else if result.byName[incoming.name] == nil {
        category.id = ids.next(keeping: record.id)
        edit.newCategories.append(category)
      } else if updates, incoming.isNewer(than: category) {
        if !incoming.hasValues(of: category) { changedCategoryValues += 1 }
        let id = category.id
        category = incoming
        category.id = id
        edit.changedCategories.append(category)
      }
      result.byName[category.name] = category
      result.byID[record.id] = category
    }
    return result
  }

  /// Adds a new photo, with its file if it is not an asset.
  mutating func append(
    _ row: Photo, _ photo: OpenedBackup.Photo, source: Int, as outcome: MergePlan.Outcome = .added
  ) {
    if !row.isFromAssets, let file = MergePlan.FileToExtract(photo, id: row.id, source: source) {
      filesToExtract.append(file)
    }
    edit.newPhotos.append(row)
    outcomes[source] = outcome
  }

  /// Converts the plan of the categories to the changes of a replacement. Keeps rows that the library already has.
  mutating func replaceCategories(_ replacement: Replacement) {
    var removed = Dictionary(uniqueKeysWithValues: replacement.library.categories.map { ($0.id, $0) })
    edit.newCategories = []
    for category in replacement.categories {
      // a category with another name is another category, even with the same ID
      guard let old = removed[category.id], old.name == category.name else {
        edit.newCategories.append(category)
        continue
      }
      removed[category.id] = nil
      if old.hasValues(of: category), old == category { continue }
      if !old.hasValues(of: category) { changedCategoryValues += 1 }
      edit.changedCategories.append(category)
    }
    edit.removedCategories = removed.keys.sorted()
  }

  /// Adds the photos to the changes of a replacement. Keeps rows that the library already has.
  mutating func replacePhotos(_ replacement: Replacement, _ backup: OpenedBackup) {
    var removed = Dictionary(uniqueKeysWithValues: replacement.library.photos.map { ($0.id, $0) })
    let changedNames = Set(edit.newCategories.map(\.id))
    for row in replacement.rows {
      let photo = row.photo
      let hasFile = row.isKept || photo.isFromAssets
      guard hasFile, let old = removed[photo.id], old.hasFile(of: photo) else {
        if hasFile {
          edit.newPhotos.append(photo)
          outcomes[row.source] = .added
        } else {
          append(photo, backup.photos[row.source], source: row.source)
        }
        continue
      }
      removed[photo.id] = nil
      if old.isIdentical(to: photo), !changedNames.contains(photo.categoryId) {
        outcomes[row.source] = .skipped(photo.id)
      } else {
        edit.changedPhotos.append(photo)
        outcomes[row.source] = .updated(photo.id)
      }
    }
    edit.removedPhotos = removed.keys.sorted()
  }
}

extension Photo {
  /// Returns true if two rows with one ID have the same file, or are both assets of the app.
  fileprivate func hasFile(of other: Photo) -> Bool {
    isFromAssets == other.isFromAssets
      && (isFromAssets || md5 == other.md5 && path.utf8.elementsEqual(other.path.utf8))
  }

  /// Compares strings by their bytes, since Swift's == compares them by canonical equivalence.
  fileprivate func isIdentical(to other: Photo) -> Bool {
    self == other && name.utf8.elementsEqual(other.name.utf8) && path.utf8.elementsEqual(other.path.utf8)
      && originalPath.utf8.elementsEqual(other.originalPath.utf8)
  }
}

extension PhotoLibrary.Category {
  fileprivate init(_ record: Metadata.CategoryRecord, exportDate: Timestamp?) {
    self.init(
      id: record.id, name: record.name, displayName: record.displayName, position: record.position,
      iconResource: record.iconResource, colorHex: record.colorHex, isDefault: record.isDefault,
      createdAt: record.createdAt, valuesAsOf: record.valuesAsOf ?? exportDate ?? .min)
    arrangedAt = record.arrangedAt
  }
}
