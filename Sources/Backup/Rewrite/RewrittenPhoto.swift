import Checksums
import PhotoLibrary

/// A photo of an archive that is written anew, and where its bytes are.
struct RewrittenPhoto: Sendable {
  /// Which of the backup's photos.
  var source: Int
  var bytes: PhotoBytes
  var md5: MD5Digest
  var size: Int
  /// The MD5 that the library had for it, where these bytes are not those.
  var expected: MD5Digest?
  /// The entry's name without its folder.
  var fileName: String

  /// The entry's name.
  var entryName: String { "photos/\(fileName)" }

  init(
    _ index: Int, of backup: BackupSource, _ bytes: PhotoBytes, _ md5: MD5Digest, size: Int,
    isEncrypted: Bool = false
  ) {
    let photo = backup.photos[index]
    let row = Photo(
      id: photo.record.id, categoryId: 0, name: "", path: "", originalPath: photo.originalPath, createdAt: 0,
      fileSize: size, md5: md5)
    source = index
    self.bytes = bytes
    self.md5 = md5
    self.size = size
    expected = photo.expected == md5 ? nil : photo.expected
    fileName = ExportPlan.entryFileName(row, isEncrypted: isEncrypted)
  }
}

extension Metadata {
  /// Lists a backup's photos, and in the manifest those whose files are in the new archive.
  mutating func list(_ items: [RewrittenPhoto], of backup: BackupSource) {
    photos = backup.photos.map(\.record)
    for item in items {
      let photo = backup.photos[item.source]
      photos[item.source].path = item.entryName
      // that of a photo which had rotten is the one that it should have
      if item.expected == nil { photos[item.source].fileSize = Int64(item.size) }
      photoManifest.append(
        ManifestEntry(
          photoId: photo.record.id, originalPath: photo.originalPath, zipEntryName: item.entryName,
          fileName: item.fileName, fileSize: Int64(item.size), checksum: item.md5.description,
          expectedChecksum: item.expected?.description))
    }
  }
}
