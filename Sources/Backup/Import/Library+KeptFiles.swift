import Checksums
import Operations
import PhotoLibrary

extension Library {
  /// Reads the files that a replacement would keep, since the new library must not contain a corrupt file. Blocks.
  ///
  /// - Returns: the IDs of the photos whose files are intact.
  func intactPhotos(
    among rows: [Replacement.Row], replacedBy backup: OpenedBackup, _ counter: ProgressCounter
  ) throws -> Set<Int64> {
    let reading = PhotoReading(counter, Readers(on: try identity))
    let outcomes = try reading.outcomes(rows.count) { index in
      (.photo(rows[index].photo.path, of: self), nil)
    }
    return Set(
      zip(rows, outcomes).compactMap { row, outcome in
        guard let content = outcome?.content else { return nil }
        if content == row.photo.content { return row.photo.id }
        // an earlier import of this backup may have added the corrupt file, and the backup has no intact one
        let photo = backup.photos[row.source]
        return photo.md5NotInBackup != nil && content == photo.location.content ? row.photo.id : nil
      })
  }
}
