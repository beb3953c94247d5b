import Checksums
import PhotoLibrary

/// How an incremental archive depends on its base.
package struct PlannedIncrement: Sendable {
  /// The base.
  package let base: ExportBase
  /// The photos whose files are stored in the base or its chain, by their indices in the plan's photos. They get no
  /// entry.
  package let photosStoredInBase: [Int]
  /// The photos among them whose files in the library may have changed since they were archived.
  let suspects: [Photo]
  /// What was removed from the library since the base was made.
  let deletions: [Metadata.Deletion]

  init(
    _ base: ExportBase, photos: [Photo], touched: [ExportPlan.Touched], deletions: [PhotoLibrary.Deletion]
  ) {
    self.base = base
    photosStoredInBase = photos.indices.filter { !photos[$0].isFromAssets && base.holds(photos[$0]) }
    suspects = ExportPlan.suspects(among: photos, touched, since: base.fullDate).filter(base.holds)
    self.deletions = deletions.map { deletion in
      Metadata.Deletion(
        category: deletion.category, checksum: deletion.md5?.description, assetPath: deletion.assetPath,
        at: deletion.at.clamped(to: Metadata.dates))
    }
  }

  /// Returns the description of the base for the archive's metadata.
  ///
  /// - Parameter photos: the plan's photos.
  func record(of photos: [Photo]) -> Metadata.Increment {
    var increment = Metadata.Increment(
      base: base.archiveID, baseDigest: base.digest.description, length: base.depth + 1)
    increment.held = photosStoredInBase.map { index in
      let photo = photos[index]
      return Metadata.HeldFile(
        photoId: photo.id, originalPath: photo.originalPath, fileSize: Int64(photo.fileSize),
        checksum: photo.md5?.description ?? "")
    }
    increment.deletions = deletions
    return increment
  }
}
