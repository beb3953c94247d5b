import Checksums

/// The MD5 and size of a file, which identify its bytes, as in both apps.
package struct FileContent: Hashable, Sendable {
  package let md5: MD5Digest
  /// In bytes.
  package let size: Int

  package init(md5: MD5Digest, size: Int) {
    self.md5 = md5
    self.size = size
  }
}

/// What identifies a photo in all categories.
package enum PhotoIdentity: Hashable, Sendable {
  /// The content of its file.
  case file(FileContent)
  /// The path of an asset of the app.
  case asset(String)
}

/// What identifies a photo: equal photos in one category are one photo.
package struct PhotoInCategory: Hashable, Sendable {
  /// What identifies it in all categories.
  package let identity: PhotoIdentity
  /// The ID of its category.
  package let category: Int64
}

extension Photo {
  /// The content of the photo's file; nil for an asset.
  package var content: FileContent? { md5.map { FileContent(md5: $0, size: fileSize) } }

  /// Returns true if the row is damaged and a file with this other content is intact: only the sizes differ, or only the
  /// MD5s, in at most 8 bits. A corrupt file has such an MD5 with a probability of 2⁻⁸⁷.
  package func isDamagedRow(of file: FileContent) -> Bool {
    guard let md5 else { return false }
    return md5 == file.md5 || fileSize == file.size && md5.differingBits(from: file.md5) <= 8
  }

  /// What identifies the photo in all categories.
  package var identity: PhotoIdentity { content.map { .file($0) } ?? .asset(path) }

  /// What identifies the photo in its category.
  package var inCategory: PhotoInCategory { PhotoInCategory(identity: identity, category: categoryId) }
}
