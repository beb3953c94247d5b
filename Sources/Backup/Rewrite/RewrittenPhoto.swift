import Checksums
import PhotoLibrary

/// A photo of a new archive, and the source of its bytes.
struct RewrittenPhoto: Sendable {
  /// The index of the photo in the backup.
  var source: Int
  var bytes: PhotoBytes
  var md5: MD5Digest
  var size: Int
  /// The MD5 in the library, if the bytes do not match it.
  var expected: MD5Digest?
  /// The entry's name without its folder.
  var fileName: String

  /// The entry's name.
  var entryName: String { "photos/\(fileName)" }

  init(
    _ index: Int, of backup: OpenedBackup, _ bytes: PhotoBytes, _ md5: MD5Digest, size: Int,
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
    expected = photo.originalMD5 == md5 ? nil : photo.originalMD5
    fileName = ExportPlan.entryFileName(row, isEncrypted: isEncrypted)
  }
}

extension OpenedBackup {
  /// Returns the backup's rows with the new entries of these photos, lazily.
  func records(_ items: [RewrittenPhoto]) -> some Sequence<Metadata.PhotoRecord> {
    var positions = [Int?](repeating: nil, count: photos.count)
    for (position, item) in items.enumerated() { positions[item.source] = position }
    return zip(photos, positions).lazy.map { photo, position in
      var record = photo.record
      guard let item = position.map({ items[$0] }) else { return record }
      record.path = item.entryName
      // a photo that was corrupt when it was backed up keeps the length of the intact one
      if item.expected == nil { record.fileSize = Int64(item.size) }
      return record
    }
  }

  /// Returns the manifest of a new archive, lazily.
  func manifest(_ items: [RewrittenPhoto]) -> some Sequence<Metadata.ManifestEntry> {
    items.lazy.map { item in
      let photo = photos[item.source]
      return Metadata.ManifestEntry(
        photoId: photo.record.id, originalPath: photo.originalPath, zipEntryName: item.entryName,
        fileName: item.fileName, fileSize: Int64(item.size), checksum: item.md5.description,
        expectedChecksum: item.expected?.description)
    }
  }
}

extension OpenedBackup {
  /// True if the archive is encrypted. A new archive made from it must then be encrypted too.
  var isEncrypted: Bool { archive?.entries.contains(where: \.isEncrypted) ?? false }
}
