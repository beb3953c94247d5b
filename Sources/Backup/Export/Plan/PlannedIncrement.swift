import Checksums
import PhotoLibrary

/// What the plan of an incremental archive takes from its base.
package struct PlannedIncrement: Sendable {
  /// The base.
  package let base: ExportBase
  /// The photos whose files are stored in the base or its chain, by their indices in the plan's photos. They get no
  /// entry.
  package let photosStoredInBase: [Int]
  /// The photos among them whose files have another length than recorded, or were modified since the full archive of
  /// the chain. The export reads these files to find corrupt ones.
  let photosToRecheck: [Photo]

  init(_ base: ExportBase, of plan: ExportPlan) {
    self.base = base
    let photos = plan.photos
    photosStoredInBase = photos.indices.filter { !photos[$0].isFromAssets && base.contains(photos[$0]) }
    photosToRecheck = plan.photosToRecheck(modifiedAfter: base.fullDate).filter(base.contains)
  }

  /// Returns the description of the base for the archive's metadata.
  ///
  /// - Parameter photos: the plan's photos.
  func record(of photos: [Photo]) -> Metadata.Increment {
    var increment = Metadata.Increment(
      baseID: base.archiveID, baseDigest: base.digest.description, chainDepth: base.chainDepth + 1)
    increment.filesStoredInBase = photosStoredInBase.map { index in
      let photo = photos[index]
      return Metadata.FileStoredInBase(
        photoId: photo.id, originalPath: photo.originalPath, fileSize: Int64(photo.fileSize),
        checksum: photo.md5?.description ?? "")
    }
    return increment
  }
}
