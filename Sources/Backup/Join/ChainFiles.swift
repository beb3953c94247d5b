import Checksums
import PhotoLibrary

/// The files in the archives of a chain, by content. Finds the file of a photo that is stored in the base.
struct ChainFiles {
  /// A file. Small, since there may be one for every photo.
  struct File {
    /// The index of the archive in the chain.
    let archive: Int32
    /// The index of its entry in the archive.
    let entry: Int32
    /// The length in bytes.
    let size: Int
  }

  private var files: [MD5Digest: File] = [:]

  /// Adds the files of an archive. Archives are added newest first, and the first file with a content is used.
  ///
  /// - Parameter index: the index of the archive in the chain.
  mutating func add(_ archive: OpenedBackup, at index: Int) {
    for photo in archive.photos {
      // a photo that was corrupt when it was backed up is stored under the MD5 of its corrupt bytes
      guard let reference = photo.location.ownEntry, let md5 = reference.md5, files[md5] == nil else {
        continue
      }
      files[md5] = File(
        archive: Int32(index), entry: Int32(reference.entry.index), size: reference.entry.size)
    }
  }

  /// Returns the file with a content; nil if the chain has none.
  func file(with md5: MD5Digest) -> File? { files[md5] }
}

/// The archives of a chain with their files, for photos that are stored in the base.
struct ChainCandidates: PhotoCandidates {
  let chain: OpenedBackup.Chain
  let files: ChainFiles

  func location(of photo: OpenedBackup.Photo, _ unavailable: Unavailable) -> PhotoLocation? {
    guard unavailable.isStoredInBase else { return nil }
    if let md5 = unavailable.md5, let file = files.file(with: md5),
      let entry = chain.bases[Int(file.archive)].archive?.entries[Int(file.entry)]
    {
      return .entry(EntryReference(entry, md5: md5, base: file.archive))
    }
    let cause: Unavailable.Cause = chain.missing.map { .baseMissing(archiveID: $0) } ?? .notInChain
    return .unavailable(Unavailable(cause, md5: unavailable.md5))
  }
}
