import Checksums

/// The MD5 and size of a file. Files with equal ones may have different bytes, which a content tag distinguishes.
package struct FileContent: Hashable, Sendable {
  package let md5: MD5Digest
  /// In bytes.
  package let size: Int

  package init(md5: MD5Digest, size: Int) {
    self.md5 = md5
    self.size = size
  }
}

extension Photo {
  /// The content of the photo's file; nil for an asset.
  package var content: FileContent? { md5.map { FileContent(md5: $0, size: fileSize) } }
}
