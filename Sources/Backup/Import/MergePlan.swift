import Checksums
import FileSystem
import Foundation
import PhotoLibrary

/// What importing a backup into a library comes to: a pure function of the two, the strategy and the rule for
/// duplicates. Nothing is read or written to make one, and a dry run is the plan itself.
///
/// A category is its name in NFC; a photo is its content (MD5, length) in its category, an asset its path in its
/// category. Merging is a multiset union: each photo of the backup is matched with at most one photo of the
/// library, equal rows first, then rows of equal name, then any.
public struct MergePlan: Sendable {
  /// A new photo whose file has to be brought.
  public struct Restore: Sendable, Equatable {
    /// The id of one of `edit.newPhotos`.
    public var id: Int64
    /// Which of the backup's photos, by index.
    public var source: Int
  }

  /// What happens to the rows.
  public var edit = LibraryEdit()
  /// The files that have to be brought; the paths of these photos are still empty.
  public var restores: [Restore] = []
  /// Under `replace`: new photos that keep a file which the library has by MD5, if its bytes still match.
  public var kept: [Restore] = []
  /// Which of the backup's photos are nowhere to be had.
  public var absent: [Int] = []
  /// Photos that are new or take new values.
  public var photosImported = 0
  /// Photos that the library has already.
  public var photosSkipped = 0
  /// What was odd.
  public var warnings: [String] = []

  /// Categories that are created or whose values change.
  public var categoriesImported: Int { edit.newCategories.count + changedCategoryValues }
  private var changedCategoryValues = 0

  /// Makes the plan. Every photo of `backup` that has a file must have its MD5.
  public init(
    importing backup: BackupSource, into library: LibraryContents, strategy: ImportStrategy,
    includesSettings: Bool, now: Int64, duplicates: (Duplicate) -> DuplicateRule
  ) {
    edit.replacesEverything = strategy == .replace
    let existing =
      strategy == .replace
      ? LibraryContents(categories: [], photos: [], settings: library.settings) : library
    let categories = mergeCategories(backup.metadata, existing, updates: strategy == .merge)
    if strategy == .replace {
      replacePhotos(backup, library, categories)
    } else {
      mergePhotos(backup, existing, categories, duplicates)
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
        category.id = edit.replacesEverything ? record.id : ids.next(keeping: record.id)
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

  // MARK: Photos

  private mutating func mergePhotos(
    _ backup: BackupSource, _ library: LibraryContents, _ categories: [Int64: PhotoLibrary.Category],
    _ rule: (Duplicate) -> DuplicateRule
  ) {
    // each of these for few backups only: for photos that the backup lost, or that the library has not
    lazy var sizes = Dictionary(
      library.photos.lazy.compactMap { photo in photo.md5.map { ($0, photo.fileSize) } },
      uniquingKeysWith: { _, last in last })
    lazy var existing = Set(library.photos.lazy.map(PhotoIdentity.init))
    // not lazy: every change of a lazy value copies it
    var ids: IDs?

    // which photos of the backup lie under which identity, in the backup's order
    var sources: [Int] = []
    var rows: [Photo] = []
    sources.reserveCapacity(backup.photos.count)
    rows.reserveCapacity(backup.photos.count)
    for (index, photo) in backup.photos.enumerated() {
      guard let category = categories[photo.record.categoryId] else { continue }
      // what the backup lost, or has only as it was when it had rotten, the library may hold
      var row: Photo? = Self.row(photo, category: category.id)
      if case .absent = photo.content { row = nil }
      if let md5 = photo.lost, let size = sizes[md5],
        row.map({ existing.contains(PhotoIdentity($0)) }) != true
      {
        let whole = Self.row(photo, category: category.id, held: (md5, size))
        if existing.contains(PhotoIdentity(whole)) { row = whole }
      }
      if let row {
        sources.append(index)
        rows.append(row)
      } else {
        absent.append(index)
      }
    }
    let matches = PhotoMatching.match(rows, with: library.photos) { backup.photos[sources[$0]].lost != nil }

    // by category; for copies under new names only
    var names: [Int64: Set<String>]?
    let categoryById = Dictionary(
      categories.values.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for position in rows.indices {
      let source = sources[position]
      let photo = backup.photos[source]
      var row = rows[position]
      if let match = matches[position].map({ library.photos[$0] }) {
        guard let category = categoryById[row.categoryId] else { continue }
        let duplicate = Duplicate(existing: match, incoming: photo.record, category: category)
        switch rule(duplicate) {
        case .skip:
          photosSkipped += 1
          continue
        case .replace:
          let updated = match.taking(valuesOf: row)
          if updated == match {
            photosSkipped += 1
          } else {
            edit.changedPhotos.append(updated)
            photosImported += 1
          }
          continue
        case .rename:
          if names == nil { names = Self.names(of: library.photos + edit.newPhotos) }
          row.name = Self.newName(row.name, taken: names?[row.categoryId] ?? [])
        }
      }
      // if it was counted on an equal photo of the library, another photo of the backup took that
      if case .absent = photo.content {
        absent.append(source)
        continue
      }
      let name = row.name
      row = Self.row(photo, category: row.categoryId)
      row.name = name
      if ids == nil { ids = IDs(used: library.photos.map(\.id), wanted: backup.photos.map(\.record.id)) }
      row.id = ids?.next(keeping: row.id) ?? row.id
      names?[row.categoryId, default: []].insert(row.name)
      append(row, source: source)
    }
    absent.sort()
  }

  private static func names(of photos: [Photo]) -> [Int64: Set<String>] {
    photos.reduce(into: [:]) { $0[$1.categoryId, default: []].insert($1.name) }
  }

  private mutating func replacePhotos(
    _ backup: BackupSource, _ library: LibraryContents, _ categories: [Int64: PhotoLibrary.Category]
  ) {
    var held: [MD5Digest: [Photo]] = [:]
    for photo in library.photos.reversed() {
      if let md5 = photo.md5 { held[md5, default: []].append(photo) }
    }
    for (index, photo) in backup.photos.enumerated() {
      guard let category = categories[photo.record.categoryId] else { continue }
      let size = photo.lost == nil ? photo.content.size : nil
      if let md5 = photo.lost ?? photo.content.md5, let same = held[md5]?.last,
        size == nil || size == same.fileSize
      {
        held[md5]?.removeLast()
        var row = Self.row(photo, category: category.id, held: (md5, same.fileSize))
        row.path = same.path
        kept.append(Restore(id: row.id, source: index))
        edit.newPhotos.append(row)
        photosImported += 1
      } else if case .absent = photo.content {
        absent.append(index)
      } else {
        append(Self.row(photo, category: category.id), source: index)
      }
    }
  }

  private mutating func append(_ row: Photo, source: Int) {
    if !row.isFromAssets { restores.append(Restore(id: row.id, source: source)) }
    edit.newPhotos.append(row)
    photosImported += 1
  }

  /// The row that a photo of the backup gets: with the content that it has there, or with what the library holds.
  private static func row(
    _ photo: BackupSource.Photo, category: Int64, held: (md5: MD5Digest, size: Int)? = nil
  ) -> Photo {
    let record = photo.record
    return Photo(
      id: record.id, categoryId: category, name: record.name,
      path: record.isFromAssets ? record.path : "", originalPath: photo.originalPath,
      isFromAssets: record.isFromAssets, createdAt: record.createdAt,
      fileSize: record.isFromAssets ? Int(record.fileSize) : held?.size ?? photo.content.size ?? 0,
      width: record.width, height: record.height,
      md5: record.isFromAssets ? nil : held?.md5 ?? photo.content.md5)
  }

  /// `IMG_0001 (2)`, with the first number that is free.
  private static func newName(_ name: String, taken: Set<String>) -> String {
    var number = 2
    while taken.contains("\(name) (\(number))") { number += 1 }
    return "\(name) (\(number))"
  }

  // MARK: What turns out while the plan is carried out

  /// Looks at the files that the plan would keep. One whose bytes are no longer those of its MD5 is brought from
  /// the backup, or is absent where the backup has none.
  mutating func checkKept(_ backup: BackupSource, isWhole: (Photo) throws -> Bool) rethrows {
    var rotten: [Int64: Restore] = [:]
    for keep in kept { rotten[keep.id] = keep }
    for photo in edit.newPhotos where rotten[photo.id] != nil {
      if try isWhole(photo) { rotten[photo.id] = nil }
    }
    kept.removeAll { rotten[$0.id] != nil }
    for index in edit.newPhotos.indices {
      guard let source = rotten[edit.newPhotos[index].id]?.source else { continue }
      edit.newPhotos[index] = Self.row(
        backup.photos[source], category: edit.newPhotos[index].categoryId)
    }
    let isAbsent = { (restore: Restore) in
      if case .absent = backup.photos[restore.source].content { true } else { false }
    }
    absent += rotten.values.filter(isAbsent).map(\.source)
    restores += rotten.values.filter { !isAbsent($0) }
    restores.sort { $0.source < $1.source }
    remove(Set(rotten.values.filter(isAbsent).map(\.id)))
  }

  /// Takes new photos out whose files could not be had.
  mutating func remove(_ ids: Set<Int64>) {
    guard !ids.isEmpty else { return }
    edit.newPhotos.removeAll { ids.contains($0.id) }
    restores.removeAll { ids.contains($0.id) }
    photosImported -= ids.count
  }

  // MARK: Settings

  /// The settings after the import, nil if they do not change. Protections are only ever raised: an old backup
  /// must not open what a parent has closed.
  private static func settings(
    _ metadata: Metadata, _ current: Settings, replaces: Bool, now: Int64
  ) -> Settings? {
    guard let record = metadata.settings, metadata.smilepile?.includesSettings != false else { return nil }
    let asOf = record.valuesAsOf ?? metadata.exportDate ?? .min
    var incoming = current
    incoming.themeMode =
      record.themeMode.flatMap(Settings.ThemeMode.init) ?? (record.isDarkMode ? .dark : .light)
    incoming.hasPIN = record.securitySettings.hasPIN
    incoming.hasPattern = record.securitySettings.hasPattern
    incoming.valuesAsOf = asOf

    var result = current
    let isNewer: Bool
    if let currentAsOf = current.valuesAsOf {
      isNewer = asOf > currentAsOf || asOf == currentAsOf && incoming.orderKey > current.orderKey
    } else {
      isNewer = true
    }
    if replaces || isNewer { result = incoming }
    result.kidSafeModeEnabled = current.kidSafeModeEnabled || record.securitySettings.kidSafeModeEnabled
    result.deleteProtectionEnabled =
      current.deleteProtectionEnabled || record.securitySettings.deleteProtectionEnabled
    guard result != current else { return nil }
    result.changedAt = max(now, result.createdAt)
    return result
  }
}
