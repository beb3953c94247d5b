import FileSystem
import Operations
import PhotoLibrary

/// Repairs rows that contradict each other. Released versions of the apps wrote such rows.
extension Metadata {
  /// The result of making the rows consistent.
  struct Repairs {
    var warnings: [String] = []
    /// Rows that could not be used, with their names.
    var skipped: [Finding] = []
    /// The id in the backup for each photo that got a new id.
    var writtenIDs: [Int64: Int64] = [:]
  }

  /// Makes every id unique, assigns each file of the manifest to one photo, and gives every photo a category.
  /// Changes nothing if the rows are consistent.
  ///
  /// - Throws: `Fault` if the rows exceed `maximumElements`.
  mutating func makeConsistent() throws(Fault) -> Repairs {
    var repairs = Repairs()
    let assets = photos.count(where: \.isFromAssets)
    guard assets <= Self.maximumElements else {
      throw Self.excess("has \(assets) assets of the app; at most \(Self.maximumElements) are read")
    }
    renumberCategories(&repairs)
    try addUnlistedCategories(&repairs)
    if let ids = try ambiguousPhotoIDs() {
      var photos = AmbiguousPhotos(taking: &self, ids)
      photos.resolve()
      (self.photos, photoManifest) = (photos.photos, photos.manifest)
      repairs.warnings += photos.warnings
      repairs.skipped += photos.skipped
      repairs.writtenIDs = photos.writtenIDs
    }
    return repairs
  }

  /// Multiplies by 1,000 the dates that the iOS app wrote in seconds, which are the dates of photos edited in that
  /// app. Interpreted as seconds, such a date is before the export, with a tolerance of one year for a wrong clock.
  /// Interpreted as milliseconds, the date is in January 1970.
  ///
  /// - Returns: a description of the change; nil if nothing changed.
  mutating func repairSeconds() -> String? {
    // an export date in milliseconds is after March 1973
    guard let exportDate, exportDate >= 100_000_000_000 else { return nil }
    let latest = exportDate.seconds.whole + 366 * 86_400
    var count = 0
    for index in photos.indices where (1...latest).contains(photos[index].createdAt.rawValue) {
      photos[index].createdAt.rawValue *= 1000
      count += 1
    }
    guard count > 0 else { return nil }
    return "smilepile read \(Count(count, "date", "dates")) as seconds since 1970"
  }

  // MARK: Categories

  /// Gives unique ids to categories. Android's first version gave the id 0 to every category that the user made.
  /// Like the app, moves the photos with such an id to the first of these categories.
  private mutating func renumberCategories(_ repairs: inout Repairs) {
    var first: [Int64: Int] = [:]
    var later: [Int] = []
    for (index, category) in categories.enumerated() {
      if first[category.id] == nil { first[category.id] = index } else { later.append(index) }
    }
    guard !later.isEmpty else { return }
    var ids = IDs(used: categories.map(\.id) + photos.map(\.categoryId))
    var counts: [Int64: Int] = [:]
    for index in later {
      counts[categories[index].id, default: 1] += 1
      categories[index].id = ids.next()
    }
    for (id, count) in counts.sorted(by: { $0.key < $1.key }) {
      let name = first[id].map { categories[$0].displayName } ?? ""
      repairs.warnings.append(
        "\(count) categories have the ID \(id); their photos are imported into “\(name.escaped)”")
    }
  }

  private mutating func addUnlistedCategories(_ repairs: inout Repairs) throws(Fault) {
    let listed = Set(categories.map(\.id))
    var counts: [Int64: Int] = [:]
    for photo in photos where !listed.contains(photo.categoryId) {
      counts[photo.categoryId, default: 0] += 1
      guard counts.count <= Self.maximumElements else {
        throw Self.excess("has photos of more than \(Self.maximumElements) categories")
      }
    }
    guard !counts.isEmpty else { return }
    let last = categories.map(\.position).max() ?? -1
    for (offset, (id, count)) in counts.sorted(by: { $0.key < $1.key }).enumerated() {
      let position = (last + 1 + offset).clamped(to: Metadata.positions)
      categories.append(UnlistedCategory.record(id, position: position))
      repairs.warnings.append(
        "the backup does not list category \(id); its \(Count(count, "photo is", "photos are")) "
          + "imported into “\(UnlistedCategory.displayName(id))”")
    }
  }

  // MARK: Photos

  /// Returns the ids that several photos or several files of the manifest share, or nil if all ids are unique.
  private func ambiguousPhotoIDs() throws(Fault) -> Set<Int64>? {
    var seen = Set<Int64>(minimumCapacity: photos.count)
    var ids: Set<Int64> = []
    var count = 0
    for photo in photos where !seen.insert(photo.id).inserted {
      ids.insert(photo.id)
      count += 1
    }
    seen.removeAll(keepingCapacity: true)
    for entry in photoManifest where !seen.insert(entry.photoId).inserted {
      ids.insert(entry.photoId)
      count += 1
    }
    guard count <= Self.maximumElements else {
      throw Self.excess("has more than \(Self.maximumElements) rows with the IDs of other rows")
    }
    return ids.isEmpty ? nil : ids
  }

  private static func excess(_ reason: String) -> Fault {
    Fault(path: "photos", reason: reason, exceedsLimit: true)
  }
}
