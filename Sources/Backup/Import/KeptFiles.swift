import Checksums
import Operations
import PhotoLibrary

/// The files of a library that a replacement would keep. The new library must not contain a corrupt file.
struct KeptFiles {
  let library: Library
  let backup: OpenedBackup
  let counter: ProgressCounter

  /// Returns the IDs of the photos whose files are intact, after reading them. Blocks.
  func intact(_ rows: [Replacement.Row]) throws -> Set<Int64> {
    let reading = PhotoReading(counter, Readers(on: try library.identity))
    let outcomes = try reading.outcomes(rows.count) { [library] index in
      (.photo(rows[index].photo.path, of: library), nil)
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
