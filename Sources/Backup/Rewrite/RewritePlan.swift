import Checksums
import Operations
import SystemPackage
import Zip

/// The photos of a new archive, and where their bytes are.
struct RewritePlan {
  let source: OpenedBackup
  let kind: RewriteKind
  /// The photos that are available, in the backup's order.
  private(set) var items: [RewrittenPhoto] = []
  /// Photos that come from another source, with that source.
  private(set) var restored: [Finding] = []
  /// Photos whose bytes contradict the manifest, and which are kept because no source has others.
  private(set) var contradicted: [Finding] = []
  /// Photos that no source has, and everything else that is missing.
  private(set) var unrecoverable: [Finding] = []
  /// Archives with a photo that is corrupt, with the reasons: other ones for a repair, those of the chain for
  /// flattening.
  private(set) var damagedArchives: [FilePath: String] = [:]
  /// True if there is nothing to repair.
  private(set) var isIntact = false

  var bytes: Int { items.saturatedSum(\.size) }

  /// Reads photos to their ends: for a repair all entries of the archive, for flattening all photos of the chain. A
  /// repair searches for damaged photos in the result of `supply`, which is called with the MD5s to search for.
  ///
  /// - Parameter source: the damaged backup, or a backup with its complete chain.
  init(
    _ source: OpenedBackup, for kind: RewriteKind, _ counter: ProgressCounter,
    supply: ([MD5Digest: Int?]) throws -> PhotoSources
  ) throws {
    (self.source, self.kind) = (source, kind)
    guard let archive = source.archive else {
      isIntact = true
      return
    }
    switch kind {
    case .flatten: try flatten(counter)
    case .repair: try repair(archive, counter, supply: supply)
    }
  }

  // MARK: Flattening

  private mutating func flatten(_ counter: ProgressCounter) throws {
    let outcomes = try PhotoReading(counter, Readers(on: source.archive?.status.identity)).outcomes(
      source.photos.count
    ) { [source] index in
      let photo = source.photos[index]
      guard let bytes = source.bytes(at: photo.location) else { return nil }
      counter.advance(current: photo.record.name)
      return (bytes, photo.location.size)
    }
    let (found, missing) = photos { index, _ in outcomes[index] }
    for photo in missing {
      let finding = Finding(source.label(of: source.photos[photo.index]), photo.reason)
      unrecoverable.append(finding)
      damagedArchives[source.archive(of: source.photos[photo.index])] = finding.message
    }
    items = found.compactMap { $0 }
  }

  // MARK: Repairing

  private mutating func repair(
    _ archive: Archive, _ counter: ProgressCounter, supply: ([MD5Digest: Int?]) throws -> PhotoSources
  ) throws {
    // nil for folders
    let outcomes = try PhotoReading(counter, Readers(on: archive.status.identity)).outcomes(
      archive.entries.count
    ) { index in
      let entry = archive.entries[index]
      if entry.isDirectory { return nil }
      counter.advance(current: entry.name)
      return (.entry(index, of: archive, password: nil), entry.size)
    }
    var (found, missing) = photos { _, entry in outcomes[entry.index] }
    let isEveryEntryIntact = outcomes.allSatisfy { if case .fault = $0 { false } else { true } }
    isIntact = source.salvage == nil && missing.isEmpty && isEveryEntryIntact
    if isIntact { return }

    // another source may have the intact bytes of a photo that was already corrupt when the backup was made
    for case let photo? in found where photo.expected != nil {
      missing.append(Missing(index: photo.source, reason: "", md5: photo.expected, wasCorruptBefore: true))
    }
    let wanted = Set(missing.compactMap(\.md5))
    let own = Self.intactEntries(of: archive, outcomes, wanted: wanted)
    // the size in the manifest comes from the phone and may be wrong
    var supply = try supply(
      Dictionary(uniqueKeysWithValues: wanted.lazy.filter { own[$0] == nil }.map { ($0, nil) }))
    let find = { (md5: MD5Digest) in try own[md5] ?? supply.find(md5) }
    for index in (source.salvage?.replaced ?? [:]).keys.sorted() where found[index] != nil {
      noteRestored(index, "it was taken from", archive.path)
    }
    try restore(missing, into: &found, find)
    damagedArchives = supply.failing
    items = found.compactMap { $0 }
    unrecoverable += (source.salvage?.missing ?? []) + source.skipped
  }

  /// Returns the intact entries with wanted contents: another photo with the same content may be corrupt.
  private static func intactEntries(
    of archive: Archive, _ outcomes: [PhotoOutcome?], wanted: Set<MD5Digest>
  ) -> [MD5Digest: (PhotoBytes, size: Int)] {
    var entries: [MD5Digest: (PhotoBytes, size: Int)] = [:]
    for (index, outcome) in outcomes.enumerated() {
      guard let content = outcome?.content, wanted.contains(content.md5), entries[content.md5] == nil else {
        continue
      }
      entries[content.md5] = (.entry(index, of: archive, password: nil), content.size)
    }
    return entries
  }

  /// Searches the other entries and sources for photos with `find`. Keeps a photo that no source has as it was found, or
  /// records it as unrecoverable.
  private mutating func restore(
    _ missing: [Missing], into found: inout [RewrittenPhoto?],
    _ find: (MD5Digest) throws -> (PhotoBytes, size: Int)?
  ) throws {
    for photo in missing {
      if let md5 = photo.md5, let (bytes, size) = try find(md5) {
        found[photo.index] = RewrittenPhoto(photo.index, of: source, bytes, md5, size: size)
        let reason =
          photo.wasCorruptBefore
          ? "it was already damaged when the backup was made; taken from" : "it was taken from"
        noteRestored(photo.index, reason, bytes.origin)
        continue
      }
      if photo.wasCorruptBefore { continue }
      let finding = Finding(source.label(of: source.photos[photo.index]), photo.reason)
      if let asFound = photo.asFound {
        found[photo.index] = asFound
        contradicted.append(finding)
      } else {
        unrecoverable.append(finding)
      }
    }
  }

  private mutating func noteRestored(_ index: Int, _ reason: String, _ origin: FilePath) {
    restored.append(
      Finding(source.label(of: source.photos[index]), "\(reason) \(origin.string.escaped)"))
  }

  // MARK: Photos

  /// A photo that is missing or corrupt in the archive.
  private struct Missing {
    /// The index of the photo in the backup.
    var index: Int
    var reason: String
    var md5: MD5Digest?
    /// The photo as the archive has it, if its CRC-32 proves its bytes.
    var asFound: RewrittenPhoto?
    /// True if the photo was corrupt in its library: without another source, the new archive has these bytes, too.
    var wasCorruptBefore = false
  }

  /// Separates the intact photos, each at its index in the backup, from the others.
  ///
  /// - Parameter outcome: returns the outcome of the photo at an index, which has this entry.
  private func photos(
    _ outcome: (Int, Entry) -> PhotoOutcome?
  ) -> (found: [RewrittenPhoto?], missing: [Missing]) {
    var found = [RewrittenPhoto?](repeating: nil, count: source.photos.count)
    var missing: [Missing] = []
    let isEncrypted = kind == .flatten && source.isEncrypted
    for (index, photo) in source.photos.enumerated() {
      switch photo.location {
      case .asset, .file: continue
      case .unavailable(let unavailable):
        guard unavailable.isDamage else { continue }
        missing.append(Missing(index: index, reason: unavailable.reason, md5: unavailable.md5))
      case .entry(let reference):
        let (entry, md5) = (reference.entry, reference.md5)
        switch (outcome(index, entry), source.bytes(at: photo.location)) {
        case (.read(let content), let bytes?):
          let rewritten = RewrittenPhoto(
            index, of: source, bytes, content.md5, size: content.size, isEncrypted: isEncrypted)
          guard let md5, md5 != content.md5 else {
            found[index] = rewritten
            continue
          }
          let isKept = kind == .repair && entry.knownCRC32 != nil
          missing.append(
            Missing(
              index: index,
              reason: kind == .repair
                ? OpenedBackup.contradiction(content.md5, md5)
                : "\(PhotoFault.otherContent(content.md5, expected: md5))",
              md5: md5, asFound: isKept ? rewritten : nil))
        case (.fault(let fault), _): missing.append(Missing(index: index, reason: "\(fault)", md5: md5))
        case (_, _): missing.append(Missing(index: index, reason: "it is not in the archive", md5: md5))
        }
      }
    }
    return (found, missing)
  }
}
