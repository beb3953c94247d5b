import Checksums
import Operations
import PhotoLibrary
import Synchronization

/// The files of a library that a replacement would keep. The new library must not contain a corrupt file.
struct KeptFiles {
  let library: Library
  let backup: OpenedBackup
  let counter: ProgressCounter

  /// Returns the IDs of the photos whose files are intact, after reading them. Blocks.
  func intact(_ rows: [Replacement.Row]) throws -> Set<Int64> {
    let intact = Mutex<Set<Int64>>([])
    try Workers.forEach(0..<rows.count) { index in
      if try isIntact(rows[index]) {
        intact.withLock { _ = $0.insert(rows[index].photo.id) }
      }
    }
    return intact.withLock { $0 }
  }

  private func isIntact(_ row: Replacement.Row) throws -> Bool {
    if try library.hasIntactFile(of: row.photo, whileReading: counter.checkCancellation) { return true }
    // an earlier import of this backup may have added the corrupt file, and the backup has no intact one
    let photo = backup.photos[row.source]
    guard photo.md5NotInBackup != nil, let content = photo.location.content else { return false }
    var corrupt = row.photo
    (corrupt.md5, corrupt.fileSize) = (content.md5, content.size)
    return try library.hasIntactFile(of: corrupt, whileReading: counter.checkCancellation)
  }
}
