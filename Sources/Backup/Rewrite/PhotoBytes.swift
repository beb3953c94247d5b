import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// Where the bytes of a photo can be had.
enum PhotoBytes: Sendable {
  /// An entry of an archive, which may be a damaged one, by its place among that archive's entries.
  case entry(Int, of: Archive, password: Secret? = nil)
  /// The file of a photo of a library. Boxed, since the other is what there are many of.
  indirect case photo(Photo, of: Library)

  /// Where they are, for messages.
  var place: FilePath {
    switch self {
    case .entry(_, let archive, _): archive.path
    case .photo(_, let library): library.path
    }
  }

  /// Streams them in pieces.
  ///
  /// - Returns: why they cannot be read to the end, nil if they were.
  /// - Throws: what `body` throws.
  func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> String? {
    switch self {
    case .entry(let index, let archive, let password):
      do {
        var reader = try EntryReader(archive, password: password)
        try reader.read(archive.entries[index], body)
        return nil
      } catch let error as ArchiveError {
        guard let fault = error.faultOfOneEntry else { throw error }
        return fault
      }
    case .photo(let photo, let library):
      do {
        try File.readPieces(opening: { () throws(FileError) in try library.open(photo) }, body)
        return nil
      } catch let error as File.Unreadable {
        return "\(error.error)"
      }
    }
  }

  /// Reads them to the end for their MD5 and length; nil if they cannot be read.
  func digest(_ counter: ProgressCounter) throws -> (md5: MD5Digest, size: Int)? {
    var hash = RunningMD5()
    var size = 0
    let fault = try read { bytes in
      try counter.checkCancellation()
      hash.update(bytes)
      size += bytes.count
    }
    return fault == nil ? (hash.digest, size) : nil
  }
}

/// Photos by their MD5, out of a library and any archives, for those who have lost some. A damaged archive
/// supplies what is left of it.
struct PhotoSupply {
  /// Archives that could not be read on, and why: nothing more is taken from them.
  private(set) var faults: [FilePath: ArchiveError] = [:]
  /// Archives that do not give a photo as they promise it.
  private(set) var failing: [FilePath: String] = [:]
  private var candidates: [MD5Digest: [PhotoBytes]] = [:]
  private let counter: ProgressCounter
  private let goesOn: Bool

  /// Looks for photos.
  ///
  /// - Parameters:
  ///   - wanted: their MD5 and, where it is known, their length.
  ///   - goesOn: an archive that cannot be read for a reason that no damage explains, since it has changed or the
  ///     like, stands in `faults`, and the others are used.
  /// - Throws: that reason, unless it goes on.
  init(
    _ wanted: [MD5Digest: Int?], from sources: [BackupSource], _ library: Library?,
    _ counter: ProgressCounter, goesOn: Bool = false
  ) throws {
    self.counter = counter
    self.goesOn = goesOn
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
        guard let (entry, holder, archive) = source.place(of: photo.content) else { continue }
        let bytes = PhotoBytes.entry(entry.index, of: archive, password: holder.password)
        if let md5 = photo.content.md5 {
          if wanted[md5] != nil { candidates[md5, default: []].append(bytes) }
        } else if isAnySizeUnknown || sizes.contains(entry.size),
          let found = try digest(of: bytes)
        {
          // a manifest without checksums
          if wanted[found.md5] != nil { candidates[found.md5, default: []].append(bytes) }
        }
      }
    }
  }

  /// The first place where a photo is whole: it is read there to the end.
  mutating func find(_ md5: MD5Digest, size: Int?) throws -> (bytes: PhotoBytes, size: Int)? {
    try places(of: md5, size: size).map { ($0.first, $0.size) }
  }

  /// The first place where a photo is whole, and those after it, which may hold it too.
  mutating func places(
    of md5: MD5Digest, size: Int?
  ) throws -> (first: PhotoBytes, others: [PhotoBytes], size: Int)? {
    let places = candidates[md5] ?? []
    for (index, bytes) in places.enumerated() {
      guard let found = try digest(of: bytes) else { continue }
      guard found.md5 == md5 else {
        noteFailing(bytes)
        continue
      }
      if size == nil || size == found.size { return (bytes, Array(places[(index + 1)...]), found.size) }
    }
    return nil
  }

  private mutating func digest(of bytes: PhotoBytes) throws -> (md5: MD5Digest, size: Int)? {
    guard faults[bytes.place] == nil else { return nil }
    do {
      let found = try bytes.digest(counter)
      if found == nil { noteFailing(bytes) }
      return found
    } catch let error as ArchiveError {
      guard goesOn else { throw error }
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
