import Checksums

/// The identity of a file's content. Files with the same MD5 and size are taken to be equal.
package struct FileContent: Hashable, Sendable {
  package let md5: MD5Digest
  /// In bytes.
  package let size: Int

  package init(md5: MD5Digest, size: Int) {
    self.md5 = md5
    self.size = size
  }
}
