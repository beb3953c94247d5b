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
  private let reader: PhotoReader
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
    reader = PhotoReader(counter)
    self.skipsUnreadable = skipsUnreadable
    guard !wanted.isEmpty else { return }
    if let library {
      for photo in try library.contents().photos {
        guard let md5 = photo.md5, wanted[md5] != nil else { continue }
        candidates[md5, default: []].append(.photo(photo.path, of: library))
      }
    }
    let sizes = Set(wanted.values.compactMap { $0 })
    let isAnySizeUnknown = wanted.values.contains { $0 == nil }
    for source in sources {
      // those for which the manifest has no checksum
      var unknown: [PhotoBytes] = []
      for photo in source.photos {
        guard case .entry(let reference) = photo.location, let bytes = source.bytes(at: photo.location)
        else { continue }
        if let md5 = reference.md5 {
          if wanted[md5] != nil { candidates[md5, default: []].append(bytes) }
        } else if isAnySizeUnknown || sizes.contains(reference.entry.size) {
          unknown.append(bytes)
        }
      }
      for (bytes, md5) in zip(unknown, try digests(of: unknown, in: source, counter)) {
        guard let md5 else {
          noteFailing(bytes)
          continue
        }
        if wanted[md5] != nil { candidates[md5, default: []].append(bytes) }
      }
    }
  }

  /// Reads entries of an archive, many at a time.
  ///
  /// - Returns: the MD5 of each, nil for one that cannot be read; none if the archive is skipped.
  private mutating func digests(
    of entries: [PhotoBytes], in source: OpenedBackup, _ counter: ProgressCounter
  ) throws -> [MD5Digest?] {
    try skippingUnreadable(source.path) { () -> [MD5Digest?] in
      let reading = PhotoReading(counter, Readers(on: source.archive?.status.identity))
      return try reading.outcomes(entries.count) { (entries[$0], nil) }.map { $0?.content?.md5 }
    } ?? []
  }

  /// Reads the sources of a photo to the end, and returns the first one in which the photo is intact.
  mutating func find(_ md5: MD5Digest) throws -> (bytes: PhotoBytes, size: Int)? {
    try alternatives(for: md5, size: nil).map { ($0.first, $0.size) }
  }

  /// Returns the first source in which a photo is intact, and the other sources that may have it.
  ///
  /// - Parameter size: the length of the photo; nil if it is unknown.
  mutating func alternatives(
    for md5: MD5Digest, size: Int?
  ) throws -> (first: PhotoBytes, others: [PhotoBytes], size: Int)? {
    let sources = candidates[md5] ?? []
    for (index, bytes) in sources.enumerated() {
      guard let found = try content(of: bytes) else { continue }
      guard found.md5 == md5 else {
        noteFailing(bytes)
        continue
      }
      guard size == nil || size == found.size else { continue }
      return (bytes, Array(sources[(index + 1)...]), found.size)
    }
    return nil
  }

  private mutating func content(of bytes: PhotoBytes) throws -> FileContent? {
    guard faults[bytes.origin] == nil else { return nil }
    guard let outcome = try skippingUnreadable(bytes.origin, { [reader] in try reader.read(bytes) }) else {
      return nil
    }
    if outcome.content == nil { noteFailing(bytes) }
    return outcome.content
  }

  /// Returns nil if an archive cannot be read any further and is skipped.
  private mutating func skippingUnreadable<Value>(
    _ archive: FilePath, _ read: () throws -> Value
  ) throws -> Value? {
    do {
      return try read()
    } catch let error as ArchiveError {
      guard skipsUnreadable, error.cause != .environment else { throw error }
      faults[archive] = error
      return nil
    }
  }

  private mutating func noteFailing(_ bytes: PhotoBytes) {
    if case .entry(_, let archive, _) = bytes {
      failing[archive.path] = "the checksum of a photo does not match"
    }
  }
}
