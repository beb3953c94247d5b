import Checksums
import PhotoLibrary
import Zip

/// Entries whose names no photo has, since damage may have changed the names. Photos are found by their MD5s; the
/// entries are read if a photo is unavailable.
struct UnnamedEntries: PhotoCandidates {
  private let entries: [Entry]
  private let digest: (Entry) throws -> MD5Digest?
  /// The position of the first entry with each MD5; nil until an MD5 is searched for.
  private var positions: [MD5Digest: Int]?
  private var used: Set<Int> = []

  /// - Parameter digest: reads an entry; returns nil if it cannot be read.
  init(_ entries: [Entry], digest: @escaping (Entry) throws -> MD5Digest?) {
    (self.entries, self.digest) = (entries, digest)
  }

  mutating func location(
    of photo: OpenedBackup.Photo, _ unavailable: Unavailable
  ) throws -> PhotoLocation? {
    guard let md5 = unavailable.md5 else { return nil }
    let known =
      try positions
      ?? entries.indices.reduce(into: [:]) { known, position in
        if let md5 = try digest(entries[position]), known[md5] == nil { known[md5] = position }
      }
    positions = known
    guard let position = known[md5] else { return nil }
    let entry = entries[position]
    used.insert(entry.index)
    return .entry(EntryReference(entry, md5: md5))
  }

  /// The names of which every entry became the file of a photo.
  var usedNames: Set<String> { Set(entries.map(\.name)).subtracting(unused.map(\.name)) }

  /// The other entries.
  var unused: [Entry] { entries.filter { !used.contains($0.index) } }
}

extension OpenedBackup {
  /// Returns the entries in `photos/` that no photo of the metadata has, and whose content no photo has: one for each
  /// content.
  static func unlistedPhotos(among entries: [Entry], besides photos: [Photo]) -> [Entry] {
    var contents: Set<EntryContent> = []
    for photo in photos {
      if case .entry(let reference) = photo.location { contents.insert(EntryContent(reference.entry)) }
    }
    return entries.filter { entry in
      Entry.isInPhotos(entry.name) && !entry.isDirectory && !entry.isIgnored && !entry.isDerived
        && entry.size > 0 && contents.insert(EntryContent(entry)).inserted
    }
  }

  /// What identifies the content of an entry.
  private struct EntryContent: Hashable {
    let crc32: UInt32
    let size: Int

    init(_ entry: Entry) { (crc32, size) = (entry.crc32, entry.size) }
  }
}
