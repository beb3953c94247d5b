import Checksums
import FileSystem
import Operations
import Secrets
import Zip

/// The lists of a damaged archive, and what they say about each entry that was found: the directory, the manifest of
/// `metadata.json`, and `checksums.md5`. What they say about one entry does not depend on other entries.
struct ChecksumEvidence {
  private let salvage: Salvage
  private let digests: EntryDigests
  /// The MD5s of each name in the manifest and in `checksums.md5`; empty for a name without an MD5.
  private var listed: [String: Set<MD5Digest>] = [:]
  /// The MD5s of each name in the manifest; empty for a name without an MD5.
  private var manifest: [String: Set<MD5Digest>] = [:]

  /// The most copies of a list to read; an archive normally has one.
  static let maximumLists = 16

  /// Reads every `checksums.md5` that was found, at the root or in one folder. Ignores a corrupt one.
  init(_ salvage: Salvage, _ digests: EntryDigests, limits: Limits) throws {
    (self.salvage, self.digests) = (salvage, digests)
    let lists = salvage.archive.entries.filter { entry in
      entry.isTextOfBackup && entry.name.hasSuffix(MetadataEntries.checksumsName)
        && salvage.mayProve(entry, digests.password)
    }
    for entry in lists.prefix(Self.maximumLists) {
      guard let bytes = try digests.bytes(of: entry, limit: limits.maximumDocumentBytes) else { continue }
      let root = entry.name.dropLast(MetadataEntries.checksumsName.count)
      for (name, digest) in ChecksumList.digests(in: bytes) {
        listed[root + name, default: []].insert(digest)
      }
    }
  }

  /// Adds the manifest of the archive's metadata.
  mutating func add(_ manifest: [Metadata.ManifestEntry], below root: String) {
    for item in manifest {
      let digest = item.checksum.flatMap { MD5Digest(hex: $0) }
      for name in [root + item.zipEntryName, root + "photos/\(item.fileName)"] {
        self.manifest[name, default: []].formUnion([digest].compactMap(\.self))
        listed[name, default: []].formUnion([digest].compactMap(\.self))
      }
    }
  }

  /// Returns true if the manifest has the name of an entry.
  func isInManifest(_ name: String) -> Bool { manifest[name] != nil }

  /// Returns true if `checksums.md5` or a directory has a copy of `metadata.json`.
  func isListed(_ entry: Entry, digest: MD5Digest) -> Bool {
    salvage.listed.contains(entry.index) || listed[entry.name]?.contains(digest) == true
  }

  /// Returns true if a list has an MD5 for the name of an entry.
  private func hasDigest(of name: String) -> Bool { listed[name]?.isEmpty == false }

  // MARK: Choosing entries

  /// Chooses among entries with the same name, for each name in the order of the file. Reads entries.
  ///
  /// - Parameter use: receives the entries with one name, and the one with the best evidence; nil if none has evidence.
  /// - Throws: the errors of `EntryDigests`; what `use` throws.
  func choose(among entries: [Entry], _ use: ([Entry], Entry?) throws -> Void) throws {
    let byName = Dictionary(grouping: entries, by: \.name)
    for entry in entries {
      guard let same = byName[entry.name], same.first?.index == entry.index else { continue }
      try digests.whileReading(0)
      try use(same, choose(among: same))
    }
  }

  /// Returns the entry with the best evidence among entries with the same name: the MD5 in the manifest, an MD5 in another
  /// list, then the directory, then the entry's own checksum. Returns the first of several with equal evidence, and nil
  /// if no entry has evidence.
  private func choose(among same: [Entry]) throws -> Entry? {
    let verified = same.filter(salvage.isVerified)
    if same.count == 1, let only = verified.first { return only }
    let listedInDirectory = verified.first { salvage.listed.contains($0.index) }
    if let first = same.first, hasDigest(of: first.name) {
      // a list may be older than the entry that another list confirms
      return try verifiedByDigest(among: same) ?? listedInDirectory
    }
    if let right = listedInDirectory ?? verified.first { return right }
    return try same.first { entry in
      if salvage.remains[entry.index] != nil { return !hasList(for: entry) || listed[entry.name] != nil }
      return try digests.isOpenedByPassword(entry)
    }
  }

  /// Returns the first entry whose content has an MD5 of a list: that of the manifest, if one entry has it.
  private func verifiedByDigest(among same: [Entry]) throws -> Entry? {
    for list in [manifest, listed] {
      let right = try same.first { entry in
        guard let known = list[entry.name], !known.isEmpty, let digest = try digests.digest(of: entry) else {
          return false
        }
        return known.contains(digest)
      }
      if let right { return right }
    }
    return nil
  }

  /// Returns true if a list that would name an entry survives. An entry that none of the lists names may then be a part
  /// of another one.
  private func hasList(for entry: Entry) -> Bool {
    !listed.isEmpty || salvage.listStart.map { $0 <= entry.headerOffset } ?? false
  }

  /// Returns why entries with one name are not used, of which none has evidence.
  func reason(toSkip same: [Entry]) -> String {
    let entry = same[0]
    if same.count > 1 { return "no entry named \(entry.name.escaped) has the recorded checksum" }
    if let container = salvage.remains[entry.index], !hasDigest(of: entry.name) {
      return "it was found inside the remains of \(container.escaped), and no list of the archive names it"
    }
    return entry.isEncrypted
      ? "it is damaged, or encrypted with another password"
      : "its checksum is lost, and nothing else verifies the file"
  }
}

extension Salvage {
  /// Returns true if an entry's own checksum, outside of what is left of lost entries, proves that it is intact.
  func isVerified(_ entry: Entry) -> Bool { !unverified.contains(entry.index) }

  /// Returns true if reading a text of the backup may prove that it is intact.
  func mayProve(_ text: Entry, _ password: Secret?) -> Bool {
    isVerified(text) || remains[text.index] != nil || text.isEncrypted && password != nil
  }
}
