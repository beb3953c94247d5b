import Checksums
import Operations
import Zip

/// The damage of an archive that was salvaged.
public struct SalvageReport: Sendable, Equatable {
  /// Why the archive cannot be opened normally.
  public var fault: Finding
  /// Missing entries that are not photos of the metadata, by name. Missing photos of the metadata are reported as
  /// unavailable in the backup.
  public var losses: [Finding]
  /// Why the own entries of photos are missing that got the entry of an equal photo, by the photos' indices.
  var replaced: [Int: String]
  /// The MD5 of the recovered `metadata.json`; nil if it is missing.
  var metadataDigest: MD5Digest?

  /// The fault and the losses.
  public var findings: [Finding] { [fault] + losses }
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
    var crc32: UInt32
    var size: Int

    init(_ entry: Entry) { (crc32, size) = (entry.crc32, entry.size) }
  }
}
