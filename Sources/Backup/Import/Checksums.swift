import Checksums
import Operations
import PhotoLibrary
import Zip

extension BackupSource {
  /// The same backup, with the MD5 of every photo that has a file. Identity needs it; where the manifest gives
  /// none, the entry is read for it. A photo that cannot be read is absent then.
  ///
  /// - Throws: `BackupError.passwordNeeded`, if an entry has to be read and cannot be without.
  func completingChecksums(_ counter: ProgressCounter) throws -> BackupSource {
    let unknown = photos.indices.filter { index in
      if case .entry(_, nil) = photos[index].content { true } else { false }
    }
    guard let archive, !unknown.isEmpty else { return self }
    try requirePassword(toRead: .photos)
    var result = self
    var reader = try entryReader(archive)
    for index in unknown {
      guard case .entry(let entry, nil) = photos[index].content else { continue }
      counter.advance(current: photos[index].record.name)
      var hash = RunningMD5()
      do {
        try reader.read(entry) { bytes in
          try counter.checkCancellation()
          hash.update(bytes)
        }
        result.photos[index].content = .entry(entry, md5: hash.digest)
      } catch let error as ArchiveError {
        guard let reason = error.faultOfOneEntry else { throw error }
        result.photos[index].content = .absent(reason: reason, isDamage: true)
        // its bytes are in the totals and will not be extracted
        counter.advance(bytes: entry.size)
      }
    }
    return result
  }
}
