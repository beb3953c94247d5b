import Checksums
import Operations
import PhotoLibrary
import Synchronization

/// The files of a library that a replacement would keep. The new library must not contain a corrupt file.
struct KeptFiles {
  let library: Library
  let contents: LibraryContents
  let backup: OpenedBackup
  let counter: ProgressCounter

  /// Returns the IDs of the photos whose files are intact, after reading them. Blocks.
  func intact(_ rows: [Replacement.Row]) throws -> Set<Int64> {
    let intact = Mutex<Set<Int64>>([])
    let tags = try library.contentTags()
    // the row of the new library may have another ID
    let ids = Dictionary(
      contents.photos.lazy.filter { !$0.isFromAssets }.map { ($0.path, $0.id) },
      uniquingKeysWith: { first, _ in first })
    try Workers.forEach(0..<rows.count) { index in
      let tag = ids[rows[index].photo.path].flatMap(tags.expected(of:))
      if try isIntact(rows[index], tag) {
        intact.withLock { _ = $0.insert(rows[index].photo.id) }
      }
    }
    return intact.withLock { $0 }
  }

  private func isIntact(_ row: Replacement.Row, _ tag: ExpectedTag?) throws -> Bool {
    if try library.hasIntactFile(of: row.photo, tag: tag, whileReading: counter.checkCancellation) {
      return true
    }
    // an earlier import of this backup may have added the corrupt file, and the backup has no intact one
    let photo = backup.photos[row.source]
    guard photo.md5NotInBackup != nil, let md5 = photo.location.md5, let size = photo.location.size else {
      return false
    }
    var corrupt = row.photo
    (corrupt.md5, corrupt.fileSize) = (md5, size)
    return try library.hasIntactFile(of: corrupt, whileReading: counter.checkCancellation)
  }
}
