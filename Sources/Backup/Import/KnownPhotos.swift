import Checksums
import Operations
import PhotoLibrary
import Synchronization

/// The photos that an import finds: those of the library, and those that a dry run would have added from earlier
/// backups.
struct KnownPhotos {
  let library: Library
  /// The photos that a dry run would have added, by ID: the backup, and the index in it.
  private(set) var planned: [Int64: (backup: OpenedBackup, index: Int)] = [:]

  init(in library: Library) { self.library = library }

  /// Adds the photos that a dry run would add.
  mutating func add(_ files: [MergePlan.FileToExtract], of backup: OpenedBackup) {
    for file in files { planned[file.id] = (backup, file.source) }
  }

  /// Returns the content tags of photos by ID, and the key. Reads the files of those photos whose rows have no tag. A
  /// photo whose file is missing or corrupt then has no tag. Blocks.
  func tags(
    of photos: [Photo], _ counter: ProgressCounter
  ) throws -> (byID: [Int64: ContentTag], key: ContentTagKey) {
    let stored = try library.contentTags()
    var tags = try library.tags(of: photos.filter { planned[$0.id] == nil }, stored, counter)
    let added = photos.compactMap { photo in planned[photo.id].map { (id: photo.id, $0.backup, $0.index) } }
    for (path, added) in Dictionary(grouping: added, by: { $0.1.path }) {
      guard let backup = added.first?.1, backup.path == path else { continue }
      let found = try backup.tags(of: added.map(\.2), stored.key, counter)
      for (id, _, index) in added { tags[id] = found[index] }
    }
    return (tags, stored.key)
  }
}

extension OpenedBackup {
  /// Returns the content tags of photos, by index, as they are in the backup: whether a photo is corrupt is not checked.
  /// A photo that cannot be read has none. Reads several photos at once. Blocks.
  func tags(
    of indices: [Int], _ key: ContentTagKey, _ counter: ProgressCounter
  ) throws -> [Int: ContentTag] {
    let results = Mutex<[Int: ContentTag]>(Dictionary(minimumCapacity: indices.count))
    let backup = self
    try Workers.forEach(0..<indices.count, context: { try ChainReader(backup) }) { position, reader in
      let index = indices[position]
      var tag = RunningContentTag(key)
      let fault = try reader.read(backup.photos[index].location, of: backup, verifies: false) { bytes in
        try counter.checkCancellation()
        tag.update(bytes)
      }
      guard fault == nil else { return }
      let value = tag.value
      results.withLock { $0[index] = value }
    }
    return results.withLock { $0 }
  }
}
