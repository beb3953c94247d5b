import Checksums
import PhotoLibrary

/// What becomes of the photos in a merge.
extension MergePlan {
  /// Under `merge` and `skip`: what the library has already is matched, and the rest comes in addition.
  mutating func mergePhotos(
    _ backup: BackupSource, _ library: LibraryContents, _ categories: [Int64: PhotoLibrary.Category],
    _ strategy: ImportStrategy, _ rule: (Duplicate) -> DuplicateRule
  ) {
    let (sources, rows) = rowsToMatch(backup, library, categories)
    let isAbsent = { backup.photos[sources[$0]].lost != nil }
    var matches = PhotoMatching.match(rows, with: library.photos, isAbsent: isAbsent)
    let unlisted = UnlistedMatching(
      rows, with: library.photos, library.categories + categories.values, &matches, isAbsent: isAbsent)
    let categoryById = Dictionary(
      categories.values.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    // not lazy: every change of a lazy value copies it
    var ids: IDs?
    // by category; for copies under new names only
    var names: [Int64: Set<String>]?
    for position in rows.indices {
      let source = sources[position]
      let photo = backup.photos[source]
      let categoryId = rows[position].categoryId
      var name = rows[position].name
      if var match = matches[position].map({ library.photos[$0] }) {
        if unlisted.moves.contains(position) {
          match = match.taking(valuesOf: rows[position])
          match.categoryId = categoryId
          edit.changedPhotos.append(match)
          photosImported += 1
          continue
        }
        guard let category = categoryById[categoryId] else { continue }
        switch rule(Duplicate(existing: match, incoming: photo.record, category: category)) {
        case .skip:
          photosSkipped += 1
          continue
        case .replace:
          update(match, by: rows[position])
          continue
        case .rename:
          if names == nil { names = Self.names(of: library.photos + edit.newPhotos) }
          name = Self.newName(name, taken: names?[categoryId] ?? [])
        }
      }
      // if it was counted on an equal photo of the library, another photo of the backup took that
      if case .absent = photo.content {
        absent.append(source)
        continue
      }
      if ids == nil { ids = IDs(used: library.photos.map(\.id), wanted: backup.photos.map(\.record.id)) }
      var row = Self.row(photo, category: categoryId)
      row.id = ids?.next(keeping: row.id) ?? row.id
      row.name = name
      names?[categoryId, default: []].insert(name)
      append(row, source: source)
    }
    absent.sort()
    shareFavorites(of: rows, with: library.photos, updates: strategy == .merge)
  }

  /// Which photos of the backup may lie in the library, and the rows by which they would be found there, both in the
  /// backup's order. The others are absent.
  private mutating func rowsToMatch(
    _ backup: BackupSource, _ library: LibraryContents, _ categories: [Int64: PhotoLibrary.Category]
  ) -> (sources: [Int], rows: [Photo]) {
    // each of these for few backups only: for photos that the backup lost, or that the library has not
    lazy var sizes = Dictionary(
      library.photos.lazy.compactMap { photo in photo.md5.map { ($0, photo.fileSize) } },
      uniquingKeysWith: { _, last in last })
    lazy var existing = Set(library.photos.lazy.map(PhotoIdentity.init))
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
    return (sources, rows)
  }

  /// Gives a photo of the library the values of the backup's.
  private mutating func update(_ photo: Photo, by row: Photo) {
    let updated = photo.taking(valuesOf: row)
    if updated == photo {
      photosSkipped += 1
    } else {
      edit.changedPhotos.append(updated)
      photosImported += 1
    }
  }

  /// Gives every copy of a photo the mark of a favorite that any phone has set.
  ///
  /// - Parameters:
  ///   - incoming: the rows of the backup.
  ///   - updates: whether photos of the library change that the backup does not change otherwise.
  private mutating func shareFavorites(of incoming: [Photo], with library: [Photo], updates: Bool) {
    var favorites = Favorites()
    favorites.add(incoming)
    favorites.add(library)
    guard !favorites.isEmpty else { return }
    for index in edit.newPhotos.indices {
      edit.newPhotos[index].isFavorite = favorites[edit.newPhotos[index]]
    }
    for index in edit.changedPhotos.indices {
      edit.changedPhotos[index].isFavorite = favorites[edit.changedPhotos[index]]
    }
    guard updates else { return }
    let changed = Set(edit.changedPhotos.lazy.map(\.id))
    for photo in library where !changed.contains(photo.id) && photo.isFavorite != favorites[photo] {
      var photo = photo
      photo.isFavorite = favorites[photo]
      edit.changedPhotos.append(photo)
    }
  }

  private static func names(of photos: [Photo]) -> [Int64: Set<String>] {
    photos.reduce(into: [:]) { $0[$1.categoryId, default: []].insert($1.name) }
  }

  private mutating func append(_ row: Photo, source: Int) {
    if !row.isFromAssets { restores.append(Restore(id: row.id, source: source)) }
    edit.newPhotos.append(row)
    photosImported += 1
  }

  /// The row that a photo of the backup gets: with the content that it has there, or with what the library holds. One
  /// that the backup has only as it was when it had rotten gets the row of the right one: so it is known as damaged, can
  /// be healed, and is not another photo than that of a backup that has it whole.
  static func row(
    _ photo: BackupSource.Photo, category: Int64, held: (md5: MD5Digest, size: Int)? = nil
  ) -> Photo {
    let record = photo.record
    var row = Photo(
      id: record.id, categoryId: category, name: record.name,
      path: record.isFromAssets ? record.path : "", originalPath: photo.originalPath,
      isFromAssets: record.isFromAssets, createdAt: record.createdAt,
      fileSize: record.isFromAssets || photo.lost != nil && held == nil
        ? Int(min(record.fileSize, largestFile)) : held?.size ?? photo.content.size ?? 0,
      width: record.width, height: record.height,
      md5: record.isFromAssets ? nil : held?.md5 ?? photo.lost ?? photo.content.md5)
    row.isFavorite = record.isFavorite
    row.shipsWithApp = record.shipsWithApp
    return row
  }

  /// No photo has more bytes, and those of all that a document can list still add up to a number.
  private static let largestFile: Int64 = 1 << 40

  /// `IMG_0001 (2)`, with the first number that is free.
  private static func newName(_ name: String, taken: Set<String>) -> String {
    var number = 2
    while taken.contains("\(name) (\(number))") { number += 1 }
    return "\(name) (\(number))"
  }
}
