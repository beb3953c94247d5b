import Checksums
import Operations
import PhotoLibrary
import Zip

extension OpenedBackup {
  /// Returns the same backup with the MD5 of every photo that has a file, since the MD5 is a part of a photo's
  /// identity. Reads the entries for which the manifest has no MD5. A photo that cannot be read becomes
  /// unavailable.
  ///
  /// - Throws: `BackupError.passwordNeeded`, if an entry must be read and is encrypted.
  func completingChecksums(_ counter: ProgressCounter) throws -> OpenedBackup {
    let unknown = photos.indices.filter { index in
      if let reference = photos[index].location.ownEntry { reference.md5 == nil } else { false }
    }
    guard let archive, !unknown.isEmpty else { return self }
    try requirePassword(toRead: .photos)
    var completed = photos
    var reader = try entryReader(archive)
    for index in unknown {
      guard let entry = photos[index].location.ownEntry?.entry else { continue }
      counter.advance(current: photos[index].record.name)
      var hash = RunningMD5()
      do {
        try reader.read(entry) { bytes in
          try counter.checkCancellation()
          hash.update(bytes)
        }
        completed[index] = photos[index].at(.entry(EntryReference(entry, md5: hash.digest)))
      } catch let error as ArchiveError {
        guard let reason = error.faultOfOneEntry else { throw error }
        completed[index] = photos[index].at(.unavailable(Unavailable(.damaged(reason))))
        // the totals include its bytes, which will not be extracted
        counter.advance(bytes: entry.size)
      }
    }
    return with(photos: completed)
  }
}
