import Checksums

/// The two texts of an archive, which follow the photos: `metadata.json`, and `checksums.md5` in the format of
/// md5sum(1), which verifies an extracted archive without this program and so has the MD5 of `metadata.json` too.
final class MetadataEntries {
  static let metadataName = "metadata.json"
  static let checksumsName = "checksums.md5"

  private var digest = RunningMD5()

  /// Writes `metadata.json` piece by piece.
  func writeMetadata(
    _ metadata: Metadata, photos: some Sequence<Metadata.PhotoRecord>,
    manifest: some Sequence<Metadata.ManifestEntry>, to write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    digest = RunningMD5()
    try metadata.write(photos: photos, manifest: manifest) { piece in
      digest.update(piece)
      try write(piece)
    }
  }

  /// Writes `checksums.md5` piece by piece.
  ///
  /// - Parameters:
  ///   - files: the photos.
  ///   - derived: the entries that were made from them.
  func writeChecksums(
    of files: some Sequence<(MD5Digest, name: String)>, _ derived: [(MD5Digest, name: String)] = [],
    to write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var text = "\(digest.digest)  \(Self.metadataName)\n"
    func add(_ digest: MD5Digest, _ name: String) throws {
      text += "\(digest)  \(name)\n"
      guard text.utf8.count >= 64 << 10 else { return }
      try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
      text.removeAll(keepingCapacity: true)
    }
    for (digest, name) in files { try add(digest, name) }
    for (digest, name) in derived { try add(digest, name) }
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }
}
