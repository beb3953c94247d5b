import FileSystem
import Foundation
import PhotoLibrary

/// What importing a backup into a library comes to: a pure function of the two, the strategy and the rule for
/// duplicates. Nothing is read or written to make one, and a dry run is the plan itself.
///
/// A category is its name in NFC; a photo is its content (MD5, length) in its category, an asset its path in its
/// category. Merging is a multiset union: each photo of the backup is matched with at most one photo of the
/// library, equal rows first, then rows of equal name, then any.
package struct MergePlan: Sendable {
  /// A new photo whose file has to be brought.
  package struct Restore: Sendable, Equatable {
    /// The id of one of `edit.newPhotos`.
    package var id: Int64
    /// Which of the backup's photos, by index.
    package var source: Int
  }

  /// What happens to the rows.
  package var edit = LibraryEdit()
  /// The files that have to be brought; the paths of these photos are still empty.
  package var restores: [Restore] = []
  /// Under `replace`: what the library is to hold.
  var replacement: Replacement?
  /// Which of the backup's photos are nowhere to be had.
  package var absent: [Int] = []
  /// Photos that are new or take new values.
  package var photosImported = 0
  /// Photos that the library has already.
  package var photosSkipped = 0
  /// What was odd.
  package var warnings: [String] = []

  /// Categories that are created or whose values change.
  package var categoriesImported: Int { edit.newCategories.count + changedCategoryValues }
  var changedCategoryValues = 0

  /// Makes the plan. Every photo of `backup` that has a file must have its MD5.
  package init(
    importing backup: BackupSource, into library: LibraryContents, strategy: ImportStrategy,
    includesSettings: Bool, now: Int64, duplicates: (Duplicate) -> DuplicateRule
  ) {
    let existing =
      strategy == .replace
      ? LibraryContents(categories: [], photos: [], settings: library.settings) : library
    let categories = mergeCategories(backup.metadata, existing, updates: strategy == .merge)
    if strategy == .replace {
      settle(Replacement(of: library, by: backup, categories: edit.newCategories, byID: categories))
    } else {
      mergePhotos(backup, existing, categories, strategy, duplicates)
    }
    if includesSettings, strategy != .skip {
      edit.settings = Self.settings(
        backup.metadata, library.settings, replaces: strategy == .replace, now: now)
    }
  }

  // MARK: Categories

  /// Returns the library's category for each id of the backup.
  private mutating func mergeCategories(
    _ metadata: Metadata, _ library: LibraryContents, updates: Bool
  ) -> [Int64: PhotoLibrary.Category] {
    var byName: [String: PhotoLibrary.Category] = [:]
    for category in library.categories { byName[category.name] = category }
    var ids = IDs(used: library.categories.map(\.id), wanted: metadata.categories.map(\.id))
    var fromThisBackup: Set<String> = []
    var result: [Int64: PhotoLibrary.Category] = [:]
    for record in metadata.categories {
      let incoming = PhotoLibrary.Category(
        id: record.id, name: record.name, displayName: record.displayName, position: record.position,
        iconResource: record.iconResource, colorHex: record.colorHex, isDefault: record.isDefault,
        createdAt: record.createdAt, valuesAsOf: record.valuesAsOf ?? metadata.exportDate ?? .min)
      var category = byName[incoming.name] ?? incoming
      if !fromThisBackup.insert(incoming.name).inserted {
        warnings.append(
          "two categories of the backup are named “\(incoming.name.escaped)”; they become one")
      } else if byName[incoming.name] == nil {
        category.id = ids.next(keeping: record.id)
        edit.newCategories.append(category)
      } else if updates, incoming.isNewer(than: category) {
        if !incoming.hasValues(of: category) { changedCategoryValues += 1 }
        let id = category.id
        category = incoming
        category.id = id
        edit.changedCategories.append(category)
      }
      byName[category.name] = category
      result[record.id] = category
    }
    return result
  }

  // MARK: What turns out while the plan is carried out

  /// Takes new photos out whose files could not be had.
  mutating func remove(_ ids: Set<Int64>) {
    guard !ids.isEmpty else { return }
    edit.newPhotos.removeAll { ids.contains($0.id) }
    restores.removeAll { ids.contains($0.id) }
    photosImported -= ids.count
  }

  // MARK: Settings

  /// The settings after the import, nil if they do not change.
  private static func settings(
    _ metadata: Metadata, _ current: Settings, replaces: Bool, now: Int64
  ) -> Settings? {
    var result = current.merged(with: metadata.statedSettings, replaces: replaces)
    guard result != current else { return nil }
    result.changedAt = max(now, result.createdAt)
    return result
  }
}
