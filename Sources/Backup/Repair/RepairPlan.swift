import Checksums
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import Zip

/// The photos that can be recovered for a damaged archive, and their sources. Reads every entry of the archive to
/// its end, and searches the other sources for missing photos.
struct RepairPlan {
  let source: OpenedBackup
  /// The photos that are available, in the backup's order.
  private(set) var items: [RewrittenPhoto] = []
  /// Photos that come from another source, with that source.
  private(set) var restored: [Finding] = []
  /// Photos whose bytes contradict the manifest, and which are kept because no source has others.
  private(set) var contradicted: [Finding] = []
  /// Photos that no source has, and everything else that is missing.
  private(set) var lost: [Finding] = []
  /// Other archives with a photo that is corrupt, with the reasons.
  private(set) var failingOthers: [FilePath: String] = [:]
  /// True if the archive is intact.
  private(set) var isWhole = false

  var bytes: Int { items.saturatedSum(\.size) }

  /// Reads the archive, and searches for damaged photos in the result of `supply`, which is called with the MD5s to
  /// search for.
  init(
    _ source: OpenedBackup, _ counter: ProgressCounter, supply: ([MD5Digest: Int?]) throws -> PhotoSources
  ) throws {
    self.source = source
    guard let archive = source.archive else {
      isWhole = true
      return
    }
    let states = try Self.outcomes(of: archive, counter)
    var (found, missing) = photos(of: archive, states)
    let isEveryEntryWhole = states.allSatisfy { if case .fault = $0 { false } else { true } }
    isWhole = source.salvage == nil && missing.isEmpty && isEveryEntryWhole
    if isWhole { return }

    let before = self.missedBefore(found)
    let wanted = Set(missing.compactMap(\.md5) + before.map(\.md5))
    let own = Self.intactEntries(of: archive, states, wanted: wanted)
    // the size in the manifest comes from the phone and may be wrong
    var supply = try supply(
      Dictionary(uniqueKeysWithValues: wanted.lazy.filter { own[$0] == nil }.map { ($0, nil) }))
    let find = { (md5: MD5Digest) in try own[md5] ?? supply.find(md5) }
    for index in (source.salvage?.replaced ?? [:]).keys.sorted() where found[index] != nil {
      noteRestored(index, from: archive.path)
    }
    try restore(missing, into: &found, find)
    try restoreUndamaged(before, into: &found, find)
    failingOthers = supply.failing
    items = found.compactMap { $0 }
    lost += (source.salvage?.losses ?? []) + source.leftOut
  }

  /// A photo that is missing or corrupt in the archive.
  private struct Missing {
    /// The index of the photo in the backup.
    var index: Int
    var reason: String
    var md5: MD5Digest?
    /// The photo as the archive has it, if its CRC-32 proves its bytes.
    var asFound: RewrittenPhoto?
  }

  /// Separates the intact photos of the archive, each at its index in the backup, from the others.
  private func photos(
    of archive: Archive, _ states: [PhotoOutcome?]
  ) -> (found: [RewrittenPhoto?], missing: [Missing]) {
    var found = [RewrittenPhoto?](repeating: nil, count: source.photos.count)
    var missing: [Missing] = []
    for (index, photo) in source.photos.enumerated() {
      switch photo.location {
      case .asset, .file: continue
      case .unavailable(let unavailable):
        guard unavailable.isDamage else { continue }
        missing.append(Missing(index: index, reason: unavailable.reason, md5: unavailable.md5))
      case .entry(let reference):
        let (entry, md5) = (reference.entry, reference.md5)
        switch states[entry.index] {
        case .intact(let content):
          let photo = RewrittenPhoto(
            index, of: source, .entry(entry.index, of: archive, password: nil), content.md5, size: entry.size)
          guard let md5, md5 != content.md5 else {
            found[index] = photo
            continue
          }
          missing.append(
            Missing(
              index: index, reason: OpenedBackup.contradiction(content.md5, md5), md5: md5,
              asFound: entry.knownCRC32 == nil ? nil : photo))
        case .fault(let fault): missing.append(Missing(index: index, reason: "\(fault)", md5: md5))
        case nil: missing.append(Missing(index: index, reason: "it is not in the archive", md5: md5))
        }
      }
    }
    return (found, missing)
  }

  /// Returns the intact entries with wanted contents: another photo with the same content may be corrupt.
  private static func intactEntries(
    of archive: Archive, _ states: [PhotoOutcome?], wanted: Set<MD5Digest>
  ) -> [MD5Digest: (PhotoBytes, size: Int)] {
    var entries: [MD5Digest: (PhotoBytes, size: Int)] = [:]
    for (entry, state) in zip(archive.entries, states) {
      guard case .intact(let content) = state, wanted.contains(content.md5), entries[content.md5] == nil
      else { continue }
      entries[content.md5] = (.entry(entry.index, of: archive, password: nil), entry.size)
    }
    return entries
  }

  /// Searches the other entries and sources for photos with `find`. Keeps a photo that no source has as it was
  /// found, or records it as lost.
  private mutating func restore(
    _ missing: [Missing], into found: inout [RewrittenPhoto?],
    _ find: (MD5Digest) throws -> (PhotoBytes, size: Int)?
  ) throws {
    for photo in missing {
      if let md5 = photo.md5, let (bytes, size) = try find(md5) {
        found[photo.index] = RewrittenPhoto(photo.index, of: source, bytes, md5, size: size)
        noteRestored(photo.index, from: bytes.place)
        continue
      }
      let finding = Finding(source.label(of: source.photos[photo.index]), photo.reason)
      if let asFound = photo.asFound {
        found[photo.index] = asFound
        contradicted.append(finding)
      } else {
        lost.append(finding)
      }
    }
  }

  private mutating func noteRestored(_ index: Int, from place: FilePath) {
    restored.append(
      Finding(source.label(of: source.photos[index]), "it was taken from \(place.string.escaped)"))
  }

  /// Searches the other entries and sources with `find` for the bytes of photos before they became corrupt. Keeps a
  /// photo that no source has as it is.
  private mutating func restoreUndamaged(
    _ before: [(index: Int, md5: MD5Digest)], into found: inout [RewrittenPhoto?],
    _ find: (MD5Digest) throws -> (PhotoBytes, size: Int)?
  ) throws {
    for (index, md5) in before {
      guard let (bytes, size) = try find(md5) else { continue }
      found[index] = RewrittenPhoto(index, of: source, bytes, md5, size: size)
      restored.append(
        Finding(
          source.label(of: source.photos[index]),
          "it was already damaged when the backup was made; taken from \(bytes.place.string.escaped)"))
    }
  }

  /// Returns photos that were already corrupt when the backup was made, and their original MD5s.
  private func missedBefore(_ found: [RewrittenPhoto?]) -> [(index: Int, md5: MD5Digest)] {
    found.compactMap { item in item.flatMap { item in item.expected.map { (item.source, $0) } } }
  }

  /// Reads an archive's entries to their ends, on several threads.
  ///
  /// - Returns: the outcome of each, by the entry's index; nil for folders.
  private static func outcomes(of archive: Archive, _ counter: ProgressCounter) throws -> [PhotoOutcome?] {
    try PhotoReading(counter, Readers(on: archive.status.identity)).outcomes(archive.entries.count) { index in
      let entry = archive.entries[index]
      if entry.isDirectory { return nil }
      counter.advance(current: entry.name)
      return (.entry(index, of: archive, password: nil), entry.size)
    }
  }

  // MARK: The new archive's texts

  /// Returns the old `metadata.json` without its photos. The backup's ID stays, since it is the same backup. If
  /// something is lost, the backup is marked as partial, so that it replaces no library.
  func metadata() -> Metadata {
    var metadata = source.metadata
    metadata.version = Metadata.newestVersion
    metadata.format = "ZIP"
    metadata.smilepile?.increment?.filesStoredInBase = source.filesStoredInBase
    if metadata.exportDate == nil {
      // both apps require a date, and the date of the repair must not make old values appear new
      for index in metadata.categories.indices where metadata.categories[index].valuesAsOf == nil {
        metadata.categories[index].valuesAsOf = .min
      }
      if metadata.settings != nil, metadata.settings?.valuesAsOf == nil {
        metadata.settings?.valuesAsOf = .min
      }
      metadata.exportDate = Date().milliseconds
    }
    metadata.completeSettings()
    if !lost.isEmpty {
      var provenance =
        metadata.smilepile
        ?? Metadata.Provenance(uuid: UUID().uuidString, isPartial: true, includesSettings: true)
      provenance.isPartial = true
      provenance.isPartiallyRecovered = true
      metadata.smilepile = provenance
    }
    noteOrigin(&metadata)
    return metadata
  }

  /// Records the original metadata in changed metadata, so that incremental backups find their base.
  private func noteOrigin(_ metadata: inout Metadata) {
    guard let old = source.metadataDigest ?? source.salvage?.metadataDigest else { return }
    var hash = RunningMD5()
    metadata.write(photos: source.records(items), manifest: source.manifest(items)) { hash.update($0) }
    if hash.digest != old { metadata.smilepile?.repairedFrom.append(old.description) }
  }
}
