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
    guard archive != nil, !unknown.isEmpty else { return self }
    try requirePassword(toRead: .photos)
    var completed = photos
    for (index, outcome) in zip(unknown, try outcomes(ofPhotosAt: unknown, counter)) {
      guard let entry = photos[index].location.ownEntry?.entry else { continue }
      switch outcome {
      case .read(let content):
        completed[index] = photos[index].at(.entry(EntryReference(entry, md5: content.md5)))
      case .fault(let fault):
        completed[index] = photos[index].at(.unavailable(Unavailable(.damaged("\(fault)"))))
        // the totals include its bytes, which will not be extracted
        counter.advance(bytes: entry.size)
      case nil: continue
      }
    }
    return with(photos: completed)
  }

  private func outcomes(ofPhotosAt indices: [Int], _ counter: ProgressCounter) throws -> [PhotoOutcome?] {
    try PhotoReading(counter, Readers(on: archive?.status.identity)).outcomes(indices.count) { position in
      let photo = photos[indices[position]]
      counter.advance(current: photo.record.name)
      return (bytes(at: photo.location), nil)
    }
  }

  /// Compares photos with the MD5s that the manifest states. A photo that has another one gets the MD5 of its bytes if
  /// its CRC-32 proves them, and if no other photo with the stated MD5 has it. Reads these photos; blocks.
  ///
  /// - Parameter indices: the photos to compare.
  /// - Returns: the same backup with these MD5s, and a finding for each such photo.
  /// - Throws: an error that concerns all photos, or `CancellationError`.
  func correctingChecksums(
    ofPhotosAt indices: [Int], _ counter: ProgressCounter
  ) throws -> (OpenedBackup, [Finding]) {
    var found: [Int: MD5Digest] = [:]
    for (index, outcome) in zip(indices, try outcomes(ofPhotosAt: indices, counter)) {
      found[index] = outcome?.content?.md5
    }
    let confirmed = Set(
      found.compactMap { index, digest in digest == photos[index].location.md5 ? digest : nil })
    var corrected = photos
    var findings: [Finding] = []
    for (index, digest) in found.sorted(by: { $0.key < $1.key }) {
      guard case .entry(let reference) = photos[index].location, let stated = reference.md5, stated != digest,
        reference.entry.knownCRC32 != nil, !confirmed.contains(stated)
      else { continue }
      corrected[index] = photos[index].at(
        .entry(EntryReference(reference.entry, md5: digest, base: reference.base)))
      findings.append(Finding(label(of: photos[index]), Self.contradiction(digest, stated)))
    }
    return (with(photos: corrected), findings)
  }

  /// The reason for a photo whose CRC-32 matches, and whose MD5 differs from the manifest.
  static func contradiction(_ digest: MD5Digest, _ stated: MD5Digest) -> String {
    "its MD5 is \(digest) and should be \(stated), but its CRC-32 matches; open the photo and look at it"
  }
}
