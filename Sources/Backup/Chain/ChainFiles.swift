import Checksums

/// The files in the archives of a chain. Finds the file of a photo that is stored in the base.
///
/// Photos may have one MD5 and different bytes. So the file of a photo is the newest one that its own row has, or else
/// the oldest one with its MD5. Both stay the same when archives are added to the chain: the export of an archive
/// compares a new photo with this file before it leaves out the photo's bytes. If an archive of the chain is missing or
/// has lost a photo, this file may be another photo. The CRC-32 in the reference tells them apart.
struct ChainFiles {
  /// A file. Small, since there may be one for every photo.
  struct File {
    /// The index of the archive in the chain.
    let archive: Int32
    /// The index of its entry in the archive.
    let entry: Int32
    /// The number of archives between the newest one and this one. Archives that replace each other have one depth.
    fileprivate let depth: Int32
    /// The CRC-32 in the archive; nil if it is unknown.
    let crc32: UInt32?
    /// The length in bytes.
    let size: Int
    /// The ID of its photo.
    fileprivate let photo: Int64
  }

  /// The row of a photo with a file.
  struct Row: Hashable {
    let id: Int64
    let md5: MD5Digest
  }

  /// What is known of the content of a file.
  private struct Content: Hashable {
    let md5: MD5Digest
    /// Nil if it is unknown.
    let crc32: UInt32?
  }

  private var oldest: [MD5Digest: File] = [:]
  /// The files whose MD5 other files have too.
  private var ofRows: [Row: File] = [:]
  /// The oldest files of contents whose MD5 other files have too.
  private var ofContents: [Content: File] = [:]

  /// Adds the files of an archive. Archives are added newest first; of those with one depth, the first is used.
  ///
  /// - Parameter index: the index of the archive in the chain.
  mutating func add(_ archive: OpenedBackup, at index: Int, depth: Int) {
    for photo in archive.photos {
      // a photo that was corrupt when it was backed up is stored under the MD5 of its corrupt bytes
      guard let reference = photo.location.ownEntry, let md5 = reference.md5 else { continue }
      let file = File(
        archive: Int32(index), entry: Int32(reference.entry.index), depth: Int32(depth),
        crc32: reference.entry.knownCRC32, size: reference.entry.size, photo: photo.record.id)
      guard let known = oldest[md5] else {
        oldest[md5] = file
        continue
      }
      for file in [known, file] {
        let (row, content) = (Row(id: file.photo, md5: md5), Content(md5: md5, crc32: file.crc32))
        if ofRows[row] == nil { ofRows[row] = file }
        if file.depth > ofContents[content]?.depth ?? -1 { ofContents[content] = file }
      }
      if file.depth > known.depth { oldest[md5] = file }
    }
  }

  /// Returns the file of a photo; nil if no file of the chain has its content.
  ///
  /// - Parameter crc32: the CRC-32 of the photo; nil if it is unknown.
  func file(of id: Int64, _ md5: MD5Digest, crc32: UInt32? = nil) -> File? {
    let oldest = oldest[md5]
    guard let crc32 else { return ofRows[Row(id: id, md5: md5)] ?? oldest }
    let candidates = [
      ofRows[Row(id: id, md5: md5)], ofContents[Content(md5: md5, crc32: crc32)], oldest,
      ofContents[Content(md5: md5, crc32: nil)],
    ]
    return candidates.lazy.compactMap { $0 }.first { $0.crc32.agreesAsCRC32(with: crc32) }
  }
}
