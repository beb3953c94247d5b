import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage
import Zip

/// The sources of wanted photos, by MD5: a library, and archives that may be damaged.
struct PhotoSources {
  /// Archives that could not be read any further, with the error. They are no longer used.
  private(set) var faults: [FilePath: ArchiveError] = [:]
  /// Archives in which a photo is corrupt.
  private(set) var failing: [FilePath: String] = [:]
  private var candidates: [MD5Digest: [PhotoBytes]] = [:]
  private let counter: ProgressCounter
  private let skipsUnreadable: Bool

  /// Searches for photos.
  ///
  /// - Parameters:
  ///   - wanted: the MD5s of the photos, with the length if it is known.
  ///   - skipsUnreadable: true to add an archive to `faults` and use the others, if it cannot be read for another
  ///     reason than damage, for example because it has changed.
  /// - Throws: the error of such an archive, unless it is skipped; or an environment failure, which says nothing about
  ///   the archive.
  init(
    _ wanted: [MD5Digest: Int?], from sources: [OpenedBackup], _ library: Library?,
    _ counter: ProgressCounter, skipsUnreadable: Bool = false
  ) throws {
    self.counter = counter
    self.skipsUnreadable = skipsUnreadable
    guard !wanted.isEmpty else { return }
    if let library {
      for photo in try library.contents().photos {
        guard let md5 = photo.md5, wanted[md5] != nil else { continue }
        candidates[md5, default: []].append(.photo(photo, of: library))
      }
    }
    let sizes = Set(wanted.values.compactMap { $0 })
    let isAnySizeUnknown = wanted.values.contains { $0 == nil }
    for source in sources {
      for photo in source.photos {
        guard let (entry, holder, archive) = source.entry(of: photo.location) else { continue }
        let bytes = PhotoBytes.entry(entry.index, of: archive, password: holder.password)
        if let md5 = photo.location.md5 {
          if wanted[md5] != nil { candidates[md5, default: []].append(bytes) }
        } else if isAnySizeUnknown || sizes.contains(entry.size),
          let found = try digest(of: bytes)
        {
          // the manifest has no checksum
          if wanted[found.md5] != nil { candidates[found.md5, default: []].append(bytes) }
        }
      }
    }
  }

  /// Reads the sources of a photo to the end, and returns the first one in which the photo is intact.
  ///
  /// - Parameter crc32: the CRC-32 of the photo; nil if it is unknown.
  mutating func find(_ md5: MD5Digest, crc32: UInt32?) throws -> (bytes: PhotoBytes, size: Int)? {
    try places(of: md5, size: nil, crc32: crc32).map { ($0.first, $0.size) }
  }

  /// Returns the first source in which a photo is intact, and the other sources that may have it.
  ///
  /// - Parameters:
  ///   - size: the length of the photo; nil if it is unknown.
  ///   - crc32: the CRC-32 of the photo; nil if it is unknown.
  mutating func places(
    of md5: MD5Digest, size: Int?, crc32: UInt32? = nil
  ) throws -> (first: PhotoBytes, others: [PhotoBytes], size: Int)? {
    let places = candidates[md5] ?? []
    for (index, bytes) in places.enumerated() where bytes.mayHave(crc32) {
      guard let found = try digest(of: bytes) else { continue }
      guard found.md5 == md5 else {
        noteFailing(bytes)
        continue
      }
      guard size == nil || size == found.size, crc32.agreesAsCRC32(with: found.crc32) else { continue }
      return (bytes, Array(places[(index + 1)...]), found.size)
    }
    return nil
  }

  private mutating func digest(of bytes: PhotoBytes) throws -> PhotoBytes.Digest? {
    guard faults[bytes.place] == nil else { return nil }
    do {
      let found = try bytes.digest(counter)
      if found == nil { noteFailing(bytes) }
      return found
    } catch let error as ArchiveError {
      guard skipsUnreadable, error.cause != .environment else { throw error }
      faults[bytes.place] = error
      return nil
    }
  }

  private mutating func noteFailing(_ bytes: PhotoBytes) {
    if case .entry(_, let archive, _) = bytes {
      failing[archive.path] = "the checksum of a photo does not match"
    }
  }
}
