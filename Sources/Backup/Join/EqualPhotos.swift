import Checksums
import PhotoLibrary

/// The photos of a backup with files, by MD5. Photos with one MD5 are alternatives of each other: the file of one has
/// the bytes of all.
struct EqualPhotos: PhotoCandidates {
  private let photos: [OpenedBackup.Photo]
  /// The indices of the photos with each MD5, once a photo needs them.
  private lazy var indices = photos.indices.reduce(into: [MD5Digest: [Int]]()) { indices, index in
    let location = photos[index].location
    if location.size != nil, let md5 = location.md5 { indices[md5, default: []].append(index) }
  }

  init(_ photos: [OpenedBackup.Photo]) { self.photos = photos }

  /// Returns the location of an equal photo, for a photo that the archive should have.
  mutating func location(of photo: OpenedBackup.Photo, _ unavailable: Unavailable) -> PhotoLocation? {
    guard unavailable.isDamage, let md5 = unavailable.md5, let index = indices[md5]?.first else { return nil }
    return photos[index].location
  }

  /// Returns the locations of the photos that are equal to the photo at an index.
  mutating func alternatives(to index: Int) -> [PhotoLocation] {
    guard let md5 = photos[index].location.md5, let equal = indices[md5] else { return [] }
    return equal.filter { $0 != index }.map { photos[$0].location }
  }
}
