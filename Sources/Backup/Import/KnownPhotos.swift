import Checksums
import Operations
import PhotoLibrary
import Synchronization

/// The photos that an import finds: those of the library, and those that a dry run would have added from earlier
/// backups.
struct KnownPhotos {
  /// A photo that a dry run would have added. Small, since there may be one for every photo.
  private struct Planned {
    /// The index of its backup in `backups`.
    let backup: Int32
    /// The index in the backup.
    let index: Int32
  }

  let library: Library
  private var backups: [OpenedBackup] = []
  private var planned: [Int64: Planned] = [:]

  init(in library: Library) { self.library = library }

  /// Adds the photos that a dry run would add.
  mutating func add(_ files: [MergePlan.FileToExtract], of backup: OpenedBackup) {
    let number = Int32(backups.count)
    backups.append(backup)
    for file in files { planned[file.id] = Planned(backup: number, index: Int32(file.source)) }
  }

  /// Returns the content tags of photos by ID, and the key. Reads the files of those photos whose rows have no tag. A
  /// photo whose file is missing or corrupt then has no tag. Blocks.
  func tags(
    of photos: [Photo], _ counter: ProgressCounter
  ) throws -> (byID: [Int64: ContentTag], key: ContentTagKey) {
    let stored = try library.contentTags()
    var tags = try library.tags(of: photos.filter { planned[$0.id] == nil }, stored, counter)
    for (number, backup) in backups.enumerated() {
      let added = photos.compactMap { photo in
        planned[photo.id].flatMap { $0.backup == number ? (id: photo.id, index: Int($0.index)) : nil }
      }
      let found = try backup.tags(of: added.map(\.index), stored.key, counter)
      for (id, index) in added { tags[id] = found[index] }
    }
    return (tags, stored.key)
  }

  /// Returns the CRC-32 of a photo's file; nil if it cannot be read. Blocks.
  func crc32(of photo: Photo, _ counter: ProgressCounter) throws -> UInt32? {
    let bytes: PhotoBytes
    if let planned = planned[photo.id] {
      let backup = backups[Int(planned.backup)]
      guard let (entry, holder, archive) = backup.entry(of: backup.photos[Int(planned.index)].location) else {
        return nil
      }
      bytes = .entry(entry.index, of: archive, password: holder.password)
    } else {
      bytes = .photo(photo, of: library)
    }
    return try bytes.digest(counter)?.crc32
  }
}

extension OpenedBackup {
  /// Returns the content tags of photos, by index, as they are in the backup: whether a photo is corrupt is not
  /// checked. Leaves out a photo that cannot be read. Reads several photos at once. Blocks.
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
