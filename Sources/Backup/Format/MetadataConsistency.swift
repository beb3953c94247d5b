import FileSystem
import Operations
import PhotoLibrary

/// Rows that contradict each other, as released versions of the apps wrote them, and what is made of them.
extension Metadata {
  /// What had to be done so that rows agree.
  struct Repairs {
    var warnings: [String] = []
    /// Rows that could not be used; each by name.
    var leftOut: [Finding] = []
    /// For each photo that got a new id, the one that the backup has.
    var writtenIDs: [Int64: Int64] = [:]
  }

  /// Makes every id unique, joins each file of the manifest with one photo, and gives every photo a category. Changes
  /// nothing where the rows agree.
  mutating func makeConsistent() -> Repairs {
    var repairs = Repairs()
    renumberCategories(&repairs)
    addUnlistedCategories(&repairs)
    if let ids = ambiguousPhotoIDs() {
      var photos = AmbiguousPhotos(self, ids)
      photos.resolve()
      (self.photos, photoManifest) = (photos.photos, photos.manifest)
      repairs.warnings += photos.warnings
      repairs.leftOut += photos.leftOut
      repairs.writtenIDs = photos.writtenIDs
    }
    return repairs
  }

  /// Multiplies by 1,000 the dates that the iOS app wrote in seconds: those of photos that were edited in it. As seconds
  /// such a date lies before the export, give or take a year for a clock that was wrong; as milliseconds it lies in
  /// January 1970.
  ///
  /// - Returns: what was changed; nil if nothing was.
  mutating func repairSeconds() -> String? {
    // an export date in milliseconds: after March 1973
    guard let exportDate, exportDate >= 100_000_000_000 else { return nil }
    let latest = exportDate / 1000 + 366 * 86_400
    var count = 0
    for index in photos.indices where photos[index].createdAt > 0 && photos[index].createdAt <= latest {
      photos[index].createdAt *= 1000
      count += 1
    }
    guard count > 0 else { return nil }
    return "smilepile read \(Count(count, "date", "dates")) as seconds since 1970"
  }

  // MARK: Categories

  /// Android's first version gave every category of the user's own the id 0. The photos of such an id go to the first of them, as in the
  /// app.
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
      repairs.warnings.append("\(count) categories have the id \(id); its photos go to “\(name.escaped)”")
    }
  }

  private mutating func addUnlistedCategories(_ repairs: inout Repairs) {
    let listed = Set(categories.map(\.id))
    var counts: [Int64: Int] = [:]
    for photo in photos where !listed.contains(photo.categoryId) { counts[photo.categoryId, default: 0] += 1 }
    guard !counts.isEmpty else { return }
    let last = categories.map(\.position).max() ?? -1
    for (offset, (id, count)) in counts.sorted(by: { $0.key < $1.key }).enumerated() {
      let position = (last + 1 + offset).clamped(to: Metadata.positions)
      categories.append(UnlistedCategory.record(id, position: position))
      repairs.warnings.append(
        "the backup does not list category \(id); \(Count(count, "photo")) of it "
          + "\(count == 1 ? "goes" : "go") to “\(UnlistedCategory.displayName(id))”")
    }
  }

  // MARK: Photos

  /// The ids that several photos, or several files of the manifest, have; nil if there are none.
  private func ambiguousPhotoIDs() -> Set<Int64>? {
    var seen = Set<Int64>(minimumCapacity: photos.count)
    var ids: Set<Int64> = []
    for photo in photos where !seen.insert(photo.id).inserted { ids.insert(photo.id) }
    seen.removeAll(keepingCapacity: true)
    for entry in photoManifest where !seen.insert(entry.photoId).inserted { ids.insert(entry.photoId) }
    return ids.isEmpty ? nil : ids
  }
}
