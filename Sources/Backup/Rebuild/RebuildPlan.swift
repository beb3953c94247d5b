import PhotoLibrary

/// The content of a rebuilt library: a pure function of the files below `photos`, the rows that the damaged database still
/// has, and the newest archive.
///
/// The rows of the database are newer than those of the archive, and a corrupt page may have any values. So such a row
/// counts if a file has its MD5 and size. Otherwise the archive's row with the same ID counts, if there is one.
///
/// Each file belongs to at most one photo: the one with the same content and path, otherwise with the same content, file
/// name and month, otherwise with the same content.
struct RebuildPlan {
  /// What there is of a photo's file.
  enum FileState: Equatable {
    /// The photo is an asset of the app.
    case none
    /// The file with this index has the content of the photo.
    case found(Int)
    /// The file with this index is in the place of the photo, and has another content that belongs to no photo.
    case corrupt(Int)
    /// The file in the place of the photo cannot be read.
    case unreadable
    /// There is no file.
    case missing
  }

  /// A photo of the rebuilt library.
  struct Row {
    /// The photo. If its file is missing, the path is a valid one that the damaged database states, or empty.
    var photo: Photo
    /// True if the archive has the photo.
    var isInArchive: Bool
    var state = FileState.missing

    fileprivate init(_ photo: Photo, isInArchive: Bool) {
      (self.photo, self.isInArchive) = (photo, isInArchive)
      if photo.isFromAssets { state = .none }
    }
  }

  /// The categories, by ID.
  private(set) var categories: [PhotoLibrary.Category] = []
  /// The photos, by ID.
  private(set) var rows: [Row] = []
  /// The indices of the files that belong to no photo.
  private(set) var unknown: [Int] = []
  /// The settings.
  let settings: Settings
  /// What a person moved or removed.
  let movements: [PhotoLibrary.Movement]
  /// The next free IDs of photos.
  private(set) var photoIDs: IDs
  /// The rows of the database whose categories cannot be read.
  private(set) var withoutCategory: Set<Int64> = []
  private let now: Timestamp

  /// - Parameters:
  ///   - archives: the newest archive, or all parts of a split one; may be empty. Every photo with a file has its
  ///     MD5.
  init(
    of scan: PhotoScan, _ salvaged: SalvagedRows, _ archives: [OpenedBackup], now: Timestamp
  ) {
    self.now = now
    let stated = archives.first?.metadata
    settings = salvaged.settings ?? Self.settings(of: stated, hasPIN: salvaged.hasPIN, now: now)
    movements =
      salvaged.movements ?? archives.first?.metadata.smilepile?.movements.map { Movement($0) } ?? []
    photoIDs = IDs(used: [])
    var matching = FileMatching(scan)
    var ids: Set<Int64> = []
    var stored = salvaged.photos.filter { ids.insert($0.id).inserted }.map { Row($0, isInArchive: false) }
    matching.match(&stored, byPath: true)
    let archived = addArchives(archives, salvaged, &stored)
    rows = stored + archived
    matching.match(&rows, byPath: false)
    matching.findObstructions(&rows)
    repeatMovements(salvaged, archives)
    leaveOutStored(salvaged)
    rows.sort { $0.photo.id < $1.photo.id }
    assignLostCategories()
    if salvaged.hasAllCategories { removeUnusedCategories(except: Set(salvaged.categories.map(\.id))) }
    categories.sort { $0.id < $1.id }
    unknown = matching.unused
  }

  /// Returns the settings of an archive, or the default ones.
  ///
  /// - Parameter hasPIN: true to keep delete protection on, since a person may have turned it on after the archive was made.
  private static func settings(of metadata: Metadata?, hasPIN: Bool, now: Timestamp) -> Settings {
    var settings = Settings(createdAt: now)
    settings = settings.merged(with: metadata?.statedSettings ?? settings, replaces: true)
    if hasPIN { settings.deleteProtection = true }
    return settings
  }

  // MARK: Rows

  /// Adds the categories, and returns the rows of the archive that the database lacks. Removes the rows of the database that
  /// those of the archive replace.
  private mutating func addArchives(
    _ archives: [OpenedBackup], _ salvaged: SalvagedRows, _ stored: inout [Row]
  ) -> [Row] {
    var names: Set<String> = []
    var ids: Set<Int64> = []
    categories = salvaged.categories.filter { ids.insert($0.id).inserted && names.insert($0.name).inserted }
    let byID = Dictionary(stored.indices.map { (stored[$0].photo.id, $0) }, uniquingKeysWith: { $1 })
    var replaced: Set<Int64> = []
    var found: [(row: Row, wanted: Int64)] = []
    for archive in archives {
      let categoryIDs = addCategories(of: archive)
      for photo in archive.photos {
        guard let category = categoryIDs[photo.record.categoryId] else { continue }
        let row = Row(MergePlan.row(photo, category: category), isInArchive: true)
        // no archive states the content of a photo whose file was missing
        guard row.photo.isFromAssets || row.photo.md5 != nil else { continue }
        if let known = byID[photo.record.id], !replaced.contains(photo.record.id) {
          if stored[known].photo.identity == row.photo.identity {
            stored[known].isInArchive = true
            continue
          }
          if stored[known].state == .missing { replaced.insert(photo.record.id) }
        }
        // all photos of the database were read, so this one was removed
        if salvaged.hasAllPhotos, !replaced.contains(photo.record.id) { continue }
        found.append((row, photo.record.id))
      }
    }
    stored.removeAll { replaced.contains($0.photo.id) }
    photoIDs = IDs(used: stored.map(\.photo.id), wanted: found.map(\.wanted))
    return found.map { row, wanted in
      var row = row
      row.photo.id = photoIDs.next(keeping: wanted)
      return row
    }
  }

  /// Adds the categories of an archive that no category has the name of; returns the ID of the category for each ID in the
  /// archive.
  private mutating func addCategories(of archive: OpenedBackup) -> [Int64: Int64] {
    var planning = MergePlanning(photos: 0)
    let known = LibraryContents(categories: categories, photos: [], settings: settings)
    let merged = planning.mergeCategories(archive.metadata, known, updates: false)
    categories += planning.edit.newCategories
    return merged.byID.mapValues(\.id)
  }

  /// Moves and removes the photos of the archive as a person did since the archive was made. A removed photo that has a file
  /// stays.
  private mutating func repeatMovements(_ salvaged: SalvagedRows, _ archives: [OpenedBackup]) {
    guard let stored = salvaged.movements, let date = archives.first?.position else { return }
    let recent = RecentMovements(stored.filter { $0.at.rawValue >= date })
    guard !recent.isEmpty else { return }
    let names = Dictionary(uniqueKeysWithValues: categories.map { ($0.id, $0.name) })
    let ids = Dictionary(uniqueKeysWithValues: categories.map { ($0.name, $0.id) })
    let known = Set(salvaged.photos.map(\.id))
    var removed: Set<Int64> = []
    for index in rows.indices where rows[index].isInArchive && !known.contains(rows[index].photo.id) {
      let row = rows[index]
      guard let name = names[row.photo.categoryId] else { continue }
      switch recent.category(of: row.photo, in: name) {
      case .some(let category): if let id = ids[category] { rows[index].photo.categoryId = id }
      case nil: if row.state == .missing || row.state == .none { removed.insert(row.photo.id) }
      }
    }
    rows.removeAll { removed.contains($0.photo.id) }
  }

  /// Leaves out photos of the archive without files that the database has under another ID.
  private mutating func leaveOutStored(_ salvaged: SalvagedRows) {
    guard !salvaged.photos.isEmpty else { return }
    let ids = Set(salvaged.photos.map(\.id))
    let stored = Set(rows.lazy.filter { !$0.isInArchive }.map(\.photo.inCategory))
    rows.removeAll { row in
      row.state == .missing && row.isInArchive && !ids.contains(row.photo.id)
        && stored.contains(row.photo.inCategory)
    }
  }

  // MARK: Categories

  /// Gives the photos whose category cannot be read the category of found files.
  private mutating func assignLostCategories() {
    let ids = Set(categories.map(\.id))
    guard rows.contains(where: { !ids.contains($0.photo.categoryId) }) else { return }
    let found = foundCategory()
    for index in rows.indices where !ids.contains(rows[index].photo.categoryId) {
      rows[index].photo.categoryId = found
      withoutCategory.insert(rows[index].photo.id)
    }
  }

  private mutating func removeUnusedCategories(except kept: Set<Int64>) {
    let used = Set(rows.map(\.photo.categoryId))
    categories.removeAll { !kept.contains($0.id) && !used.contains($0.id) }
  }

  /// Returns the ID of the category of found files. Makes the category if it is missing.
  private mutating func foundCategory() -> Int64 {
    if let known = categories.first(where: { $0.name == UnlistedCategory.found }) { return known.id }
    var ids = IDs(used: categories.map(\.id))
    let last = categories.map(\.position).max() ?? -1
    let category = PhotoLibrary.Category(
      id: ids.next(), name: UnlistedCategory.found, displayName: RebuildSummary.foundCategory,
      position: last < .max ? last + 1 : last, createdAt: now,
      valuesAsOf: now)
    categories.append(category)
    return category.id
  }

  /// Adds a photo for a file that belongs to no photo.
  ///
  /// - Parameter photo: the values of the photo; ID and category are chosen here.
  mutating func add(_ photo: Photo, file: Int) {
    var photo = photo
    photo.id = photoIDs.next()
    photo.categoryId = foundCategory()
    var row = Row(photo, isInArchive: false)
    row.state = .found(file)
    rows.append(row)
  }
}

/// What a person moved and removed since an archive was made.
private struct RecentMovements {
  private let movements: [PhotoLibrary.Movement]
  private var bySubject: [PhotoLibrary.Movement.Subject: [Int]] = [:]

  /// - Parameter movements: oldest first.
  init(_ movements: [PhotoLibrary.Movement]) {
    self.movements = movements
    for (index, movement) in movements.enumerated() {
      bySubject[movement.subject, default: []].append(index)
    }
  }

  var isEmpty: Bool { movements.isEmpty }

  /// Returns the `name` of the category to which a photo of a category was moved; nil if it was removed.
  func category(of photo: Photo, in category: String) -> String? {
    var current: String? = category
    let indices = (bySubject[.photo(photo.identity)] ?? []) + (bySubject[.category] ?? [])
    for movement in indices.sorted().map({ movements[$0] }) where movement.origin == current {
      current = movement.destination
    }
    return current
  }
}

extension OpenedBackup {
  /// The position of the archive in the history of its library.
  fileprivate var position: Int64? { metadata.smilepile?.sequence ?? metadata.exportDate?.rawValue }
}
