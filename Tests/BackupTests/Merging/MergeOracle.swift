import Checksums
import PhotoLibrary

@testable import Backup

/// The identity of a photo, independent of its path, ID and file name: its category and its content, or its
/// category and its path in the app for an asset.
struct Identity: Hashable {
  var category: String
  var md5: MD5Digest?
  var size = 0
  var assetPath: String?
}

/// The number of photos of each identity.
struct Multiset: Equatable {
  private(set) var counts: [Identity: Int] = [:]

  init(_ identities: [Identity]) {
    for identity in identities { counts[identity, default: 0] += 1 }
  }

  init(_ library: LibraryContents) {
    var names: [Int64: String] = [:]
    for category in library.categories { names[category.id] = category.name }
    self.init(
      library.photos.map { photo in
        var identity = Identity(category: names[photo.categoryId] ?? "?")
        if photo.isFromAssets {
          identity.assetPath = photo.path
        } else {
          identity.md5 = photo.md5
          identity.size = photo.fileSize
        }
        return identity
      })
  }

  /// The photos of a backup that can be imported.
  init(_ backup: OpenedBackup) {
    self.init(backup.photos.compactMap { backup.identity($0) })
  }

  func union(_ other: Multiset) -> Multiset { combined(with: other) { max($0, $1) } }

  func adding(_ other: Multiset) -> Multiset { combined(with: other) { $0 + $1 } }

  func subtracting(_ other: Multiset) -> Multiset {
    var result = self
    for (identity, count) in other.counts { result.counts[identity, default: 0] -= count }
    result.counts = result.counts.filter { $0.value > 0 }
    return result
  }

  /// The photos as if all categories were one.
  var inOneCategory: Multiset {
    Multiset(
      counts.flatMap { identity, count in
        var identity = identity
        identity.category = ""
        return Array(repeating: identity, count: count)
      })
  }

  var total: Int { counts.values.reduce(0, +) }

  private func combined(with other: Multiset, _ combine: (Int, Int) -> Int) -> Multiset {
    var result = self
    result.counts.merge(other.counts, uniquingKeysWith: combine)
    return result
  }
}

extension OpenedBackup {
  /// The identity of a photo of this backup, nil if its file is missing.
  func identity(_ photo: Photo) -> Identity? {
    let name = metadata.categories.first { $0.id == photo.record.categoryId }?.name ?? "?"
    let category = name.precomposedStringWithCanonicalMapping
    if photo.record.isFromAssets { return Identity(category: category, assetPath: photo.record.path) }
    guard let size = photo.location.size, let md5 = photo.location.md5 else { return nil }
    return Identity(category: category, md5: md5, size: size)
  }
}

/// The values of a category, with texts as bytes: strings in different Unicode normalization forms are equal in
/// Swift, and an import must not change the form.
struct CategoryValues: Equatable {
  var texts: [[UInt8]]
  var position: Int
  var isDefault: Bool
  var createdAt: Timestamp
  var valuesAsOf: Timestamp

  init(_ category: PhotoLibrary.Category) {
    texts = [category.displayName, category.iconResource ?? "nil", category.colorHex ?? "nil"].map {
      Array($0.utf8)
    }
    position = category.position
    isDefault = category.isDefault
    createdAt = category.createdAt
    valuesAsOf = category.valuesAsOf
  }
}

/// The values of the settings, without the creation and change times of the record.
struct SettingsValues: Equatable {
  var theme: Settings.Dated<Settings.ThemeMode>?
  var locks: [Settings.Dated<Bool>?]
  var flags: [Bool?]

  init(_ settings: Settings) {
    theme = settings.theme
    locks = [settings.pin, settings.pattern]
    flags = [settings.kidSafeMode, settings.deleteProtection, settings.cameraAccess]
  }
}

extension LibraryContents {
  static var empty: LibraryContents {
    LibraryContents(categories: [], photos: [], settings: Settings(createdAt: 1))
  }

  var categoryValues: [String: CategoryValues] {
    Dictionary(uniqueKeysWithValues: categories.map { ($0.name, CategoryValues($0)) })
  }

  /// These contents after an import, as the plan describes it.
  func importing(
    _ backup: OpenedBackup, _ strategy: ImportStrategy, _ rule: DuplicateRule
  ) -> LibraryContents {
    applied(plan(backup, strategy, rule))
  }

  func plan(
    _ backup: OpenedBackup, _ strategy: ImportStrategy, _ rule: DuplicateRule, restoresRemoved: Bool = false
  ) -> MergePlan {
    MergePlan(
      importing: backup, into: self, strategy: strategy, includesSettings: true,
      restoresRemoved: restoresRemoved, now: 5000,
      duplicates: { _ in rule }, intact: { Set($0.map(\.photo.id)) })
  }

  /// These contents after a plan. Each new file has its own path, and the rows are in the order of a library.
  func applied(_ plan: MergePlan) -> LibraryContents {
    var result = applying(plan.edit)
    for index in result.photos.indices
    where !result.photos[index].isFromAssets && result.photos[index].path.isEmpty {
      result.photos[index].path = "photos/\(photos.count)-\(index)"
    }
    result.photos.sort { $0.id < $1.id }
    result.categories.sort { ($0.position, $0.id) < ($1.position, $1.id) }
    return result
  }
}
