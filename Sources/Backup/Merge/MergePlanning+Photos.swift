import PhotoLibrary

/// Plans the photos of a merge.
extension MergePlanning {
  /// Matches photos with those of the library, and adds the others. For `merge` and `skip`.
  mutating func mergePhotos(
    _ backup: OpenedBackup, _ library: LibraryContents, _ categories: Categories, _ places: PhotoPlaces,
    _ strategy: ImportStrategy, _ rule: (Duplicate) -> DuplicateRule
  ) {
    let (sources, rows) = rowsToMatch(backup, library, categories, places)
    let lacksIntactFile = { (position: Int) in backup.photos[sources[position]].md5NotInBackup != nil }
    var matches = PhotoMatching.match(rows, with: library.photos, lacksIntactFile: lacksIntactFile)
    let unlisted = UnlistedMatching(
      rows, with: library.photos, categories.byName.values, &matches, lacksIntactFile: lacksIntactFile)
    let categoryById = Dictionary(
      categories.byName.values.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    // copies with one identity are interchangeable: the one that is new need not be the one that was removed
    var restored: [PhotoInCategory: Int] = [:]
    for position in rows.indices where places.isRestored(sources[position]) {
      restored[rows[position].inCategory, default: 0] += 1
    }
    // not lazy, since each change of a lazy variable copies its value
    var ids: IDs?
    // by category, for copies with new names
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
          outcomes[source] = .moved(match.id)
          continue
        }
        guard let category = categoryById[categoryId] else { continue }
        switch rule(Duplicate(existing: match, incoming: photo.record, category: category)) {
        case .skip:
          outcomes[source] = .skipped(match.id)
          continue
        case .replace:
          outcomes[source] = update(match, by: rows[position])
          continue
        case .rename:
          if names == nil { names = Self.names(of: library.photos + edit.newPhotos) }
          name = Self.newName(name, taken: names?[categoryId] ?? [])
        }
      }
      // the backup has no file of this photo, and the only equal photo of the library is the match of another photo
      if photo.location.unavailable != nil { continue }
      if ids == nil { ids = IDs(used: library.photos.map(\.id), wanted: backup.photos.map(\.record.id)) }
      var row = MergePlan.row(photo, category: categoryId)
      row.id = ids?.next(keeping: row.id) ?? row.id
      row.name = name
      names?[categoryId, default: []].insert(name)
      if !restored.isEmpty {
        let identity = rows[position].inCategory
        if let count = restored[identity], count > 0 {
          restored[identity] = count - 1
          edit.returnedPhotos.append(row.id)
        }
      }
      append(row, photo, source: source, as: matches[position] == nil ? .added : .renamed(name))
    }
    shareFavorites(of: rows, with: library.photos, updates: strategy == .merge)
  }

  /// Returns the indices of the photos of the backup that the library may have, and the rows to match, both in the
  /// backup's order. The other photos are left out.
  private mutating func rowsToMatch(
    _ backup: OpenedBackup, _ library: LibraryContents, _ categories: Categories, _ places: PhotoPlaces
  ) -> (sources: [Int], rows: [Photo]) {
    // lazy, since only the few backups with missing photos need them
    lazy var contents = Dictionary(
      library.photos.lazy.compactMap(\.content).map { ($0.md5, $0) }, uniquingKeysWith: { _, last in last })
    lazy var existing = Set(library.photos.lazy.map(\.inCategory))
    var sources: [Int] = []
    var rows: [Photo] = []
    sources.reserveCapacity(backup.photos.count)
    rows.reserveCapacity(backup.photos.count)
    for (index, photo) in backup.photos.enumerated() {
      if let outcome = places.reasonToLeaveOut(index) {
        outcomes[index] = outcome
        continue
      }
      guard
        let category = places.category(of: index).flatMap({ categories.byName[$0] })
          ?? categories.byID[photo.record.categoryId]
      else { continue }
      // the library may have a photo that is missing or corrupt in the backup
      var row: Photo? =
        photo.location.unavailable == nil ? MergePlan.row(photo, category: category.id) : nil
      if let md5 = photo.md5NotInBackup, let content = contents[md5],
        row.map({ existing.contains($0.inCategory) }) != true
      {
        let intact = MergePlan.row(photo, category: category.id, libraryContent: content)
        if existing.contains(intact.inCategory) { row = intact }
      }
      if let row {
        sources.append(index)
        rows.append(row)
      }
    }
    return (sources, rows)
  }

  /// Gives a photo of the library the values of the backup's photo.
  private mutating func update(_ photo: Photo, by row: Photo) -> MergePlan.Outcome {
    let updated = photo.taking(valuesOf: row)
    guard updated != photo else { return .skipped(photo.id) }
    edit.changedPhotos.append(updated)
    return .updated(photo.id)
  }

  /// Gives every copy of a photo the mark of a favorite that any phone has set.
  ///
  /// - Parameters:
  ///   - incoming: the rows of the backup.
  ///   - updates: true to change photos of the library that the backup does not change otherwise.
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

  /// Returns `IMG_0001 (2)`, with the first free number.
  private static func newName(_ name: String, taken: Set<String>) -> String {
    var number = 2
    while taken.contains("\(name) (\(number))") { number += 1 }
    return "\(name) (\(number))"
  }
}

extension MergePlan {
  /// Returns the row of a photo of the backup, with the content of the backup's photo or of the library's. A photo
  /// that was corrupt when it was backed up gets the row of the intact photo. So the photo is recognized as
  /// corrupt, can be repaired, and has the same identity as in a backup with the intact photo.
  ///
  /// - Parameter libraryContent: the content of the library's photo.
  static func row(
    _ photo: OpenedBackup.Photo, category: Int64, libraryContent: FileContent? = nil
  ) -> Photo {
    let record = photo.record
    var row = Photo(
      id: record.id, categoryId: category, name: record.name,
      path: record.isFromAssets ? record.path : "", originalPath: photo.originalPath,
      isFromAssets: record.isFromAssets, createdAt: record.createdAt,
      fileSize: record.isFromAssets || photo.md5NotInBackup != nil && libraryContent == nil
        ? Int(min(record.fileSize, largestFile)) : libraryContent?.size ?? photo.location.size ?? 0,
      width: record.width, height: record.height,
      md5: record.isFromAssets ? nil : libraryContent?.md5 ?? photo.md5NotInBackup ?? photo.location.md5)
    row.isFavorite = record.isFavorite
    row.shipsWithApp = record.shipsWithApp
    return row
  }

  /// An upper bound of a photo's length. The sum for all photos of a document does not overflow.
  private static let largestFile: Int64 = 1 << 40
}
