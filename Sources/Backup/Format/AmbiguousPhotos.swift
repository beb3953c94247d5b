import FileSystem
import Operations
import PhotoLibrary

/// Gives unique ids to photos of one backup that share an id. Android derives ids from a hash of the path, so that
/// in one of a few hundred libraries two photos have the same id. The path distinguishes them.
///
/// Rows with equal id and path are one photo. Each file of the manifest is a photo of its own. For each id, every
/// photo but the first gets a new id.
struct AmbiguousPhotos {
  private(set) var photos: [Metadata.PhotoRecord]
  private(set) var manifest: [Metadata.ManifestEntry]
  private(set) var warnings: [String] = []
  private(set) var skipped: [Finding] = []
  /// The id in the backup by new id. The apps derive file names from the id in the backup.
  private(set) var writtenIDs: [Int64: Int64] = [:]

  private let ambiguous: Set<Int64>
  private let displayNames: [Int64: String]
  private var ids: IDs
  private var renumbered = 0
  private var repeated = 0

  /// The rows with one id and path, and their files, by index.
  private struct Group {
    var rows: [Int] = []
    var files: [Int] = []
  }

  /// Takes the rows out of the metadata, because a second reference would copy all of them.
  ///
  /// - Parameter ambiguous: the ids that several rows or several files share.
  init(taking metadata: inout Metadata, _ ambiguous: Set<Int64>) {
    displayNames = metadata.displayNames
    photos = metadata.photos
    metadata.photos = []
    manifest = metadata.photoManifest
    metadata.photoManifest = []
    self.ambiguous = ambiguous
    ids = IDs(used: photos.map(\.id) + manifest.map(\.photoId))
  }

  mutating func resolve() {
    var dropped: (rows: Set<Int>, files: Set<Int>) = ([], [])
    for groups in groups(droppingFiles: &dropped.files) {
      var isFirst = true
      for group in groups { resolve(group, &isFirst, droppingRows: &dropped.rows) }
    }
    photos.remove(dropped.rows)
    manifest.remove(dropped.files)
    if renumbered > 0 {
      warnings.append(
        "\(Count(renumbered, "photo has", "photos have")) the ID of another photo, and got "
          + (renumbered == 1 ? "a new ID" : "new IDs"))
    }
    if repeated > 0 {
      warnings.append(
        "\(Count(repeated, "row is a duplicate", "rows are duplicates")), and "
          + (repeated == 1 ? "was ignored" : "were ignored"))
    }
  }

  /// Returns the photos of each ambiguous id, grouped by path, in the order of the rows. Assigns a file whose path
  /// is in no row to a row without a file.
  private func groups(droppingFiles dropped: inout Set<Int>) -> [[Group]] {
    var order: [Int64] = []
    var byID: [Int64: [Group]] = [:]
    var positions: [Int64: [String: Int]] = [:]
    for (index, photo) in photos.enumerated() where ambiguous.contains(photo.id) {
      if byID[photo.id] == nil { order.append(photo.id) }
      if let position = positions[photo.id]?[photo.path] {
        byID[photo.id]?[position].rows.append(index)
      } else {
        positions[photo.id, default: [:]][photo.path] = byID[photo.id]?.count ?? 0
        byID[photo.id, default: []].append(Group(rows: [index]))
      }
    }
    var strays: [Int] = []
    var seen: Set<[String]> = []
    for (index, file) in manifest.enumerated() where ambiguous.contains(file.photoId) {
      // a file that is listed twice counts once
      guard seen.insert([String(file.photoId), file.originalPath, file.zipEntryName]).inserted else {
        dropped.insert(index)
        continue
      }
      if let position = positions[file.photoId]?[file.originalPath] {
        byID[file.photoId]?[position].files.append(index)
      } else {
        strays.append(index)
      }
    }
    // for each id, the first group that may have no file
    var next: [Int64: Int] = [:]
    for index in strays {
      let id = manifest[index].photoId
      guard let count = byID[id]?.count else { continue }
      var position = next[id] ?? 0
      while position < count, byID[id]?[position].files.isEmpty == false { position += 1 }
      next[id] = position
      byID[id]?[min(position, count - 1)].files.append(index)
    }
    return order.compactMap { byID[$0] }
  }

  private mutating func resolve(_ group: Group, _ isFirst: inout Bool, droppingRows dropped: inout Set<Int>) {
    let count = max(1, group.files.count)
    for number in 0..<count {
      let row: Int
      if number < group.rows.count {
        row = group.rows[number]
      } else {
        row = photos.count
        photos.append(photos[group.rows[group.rows.count - 1]])
      }
      if isFirst {
        isFirst = false
      } else {
        let writtenID = photos[row].id
        photos[row].id = ids.next()
        writtenIDs[photos[row].id] = writtenID
        renumbered += 1
      }
      if number < group.files.count { manifest[group.files[number]].photoId = photos[row].id }
    }
    for row in group.rows.dropFirst(count) {
      dropped.insert(row)
      var other = photos[row]
      other.id = photos[group.rows[0]].id
      if other == photos[group.rows[0]] {
        repeated += 1
      } else {
        let photo = photos[row]
        let label = Finding.Subject.photo(
          id: photo.id, category: displayNames[photo.categoryId] ?? "", name: photo.name)
        skipped.append(
          Finding(label, "another row has the same ID and path, but other values; this row was skipped"))
      }
    }
  }
}

extension Array {
  /// Removes elements, by index. Copies nothing.
  fileprivate mutating func remove(_ indices: Set<Int>) {
    guard !indices.isEmpty else { return }
    var end = 0
    for index in self.indices where !indices.contains(index) {
      if end < index { swapAt(end, index) }
      end += 1
    }
    removeLast(count - end)
  }
}
