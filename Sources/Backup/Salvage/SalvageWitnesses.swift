import Checksums
import Operations
import Secrets
import Zip

/// The lists that name the entries of a damaged archive, and what they say about each entry that was found: the
/// directory, the manifest of `metadata.json`, and `checksums.md5`. What they say about one entry does not depend on
/// other entries.
struct SalvageWitnesses {
  private let salvage: Salvage
  private let proof: EntryProof
  /// The MD5s of each name in the manifest and in `checksums.md5`.
  private var digests: [String: Set<MD5Digest>] = [:]
  /// The MD5s of each name in the manifest.
  private var manifestDigests: [String: Set<MD5Digest>] = [:]
  /// The names in the manifest.
  private(set) var manifestNames: Set<String> = []
  /// The names in the manifest and in `checksums.md5`.
  private var names: Set<String> = []

  /// Reads every `checksums.md5` that was found, at the root or in one folder. Ignores a corrupt one.
  init(_ salvage: Salvage, _ proof: EntryProof, limits: Limits) throws {
    self.salvage = salvage
    self.proof = proof
    let lists = salvage.archive.entries.filter { entry in
      entry.isTextOfBackup && entry.name.hasSuffix(MetadataEntries.checksumsName)
        && (salvage.remains[entry.index] != nil || !salvage.unverified.contains(entry.index)
          || entry.isEncrypted && proof.password != nil)
    }
    for entry in lists.prefix(Self.maximumLists) {
      guard let bytes = try proof.bytes(of: entry, limit: limits.maximumDocumentBytes) else { continue }
      let root = entry.name.dropLast(MetadataEntries.checksumsName.count)
      for (name, digest) in ChecksumList.digests(in: bytes) { add(root + name, digest) }
    }
  }

  /// The most copies of a list to read; an archive normally has one.
  static let maximumLists = 16

  private mutating func add(_ name: String, _ digest: MD5Digest?) {
    names.insert(name)
    if let digest { digests[name, default: []].insert(digest) }
  }

  /// Adds the manifest of the archive's metadata.
  mutating func add(_ manifest: [Metadata.ManifestEntry], below root: String) {
    for item in manifest {
      let digest = item.checksum.flatMap { MD5Digest(hex: $0) }
      for name in [root + item.zipEntryName, root + "photos/\(item.fileName)"] {
        manifestNames.insert(name)
        add(name, digest)
        if let digest { manifestDigests[name, default: []].insert(digest) }
      }
    }
  }

  /// Returns true if a list that would name an entry survives. An entry that none of the lists names may then be a part
  /// of another one.
  private func hasList(for entry: Entry) -> Bool {
    !names.isEmpty || salvage.listStart.map { $0 <= entry.headerOffset } ?? false
  }

  /// Returns true if a list has an MD5 for the name of an entry.
  func hasDigest(of name: String) -> Bool { digests[name] != nil }

  /// Returns the first entry whose content has an MD5 of a list: that of the manifest, if one entry has it.
  private func verifiedByDigest(among same: [Entry]) throws -> Entry? {
    for lists in [manifestDigests, digests] {
      let right = try same.first { entry in
        guard let known = lists[entry.name], let digest = try proof.digest(of: entry) else { return false }
        return known.contains(digest)
      }
      if let right { return right }
    }
    return nil
  }

  /// Returns true if `checksums.md5` or a directory has a copy of `metadata.json`.
  func isListed(_ entry: Entry, digest: MD5Digest) -> Bool {
    salvage.listed.contains(entry.index) || digests[entry.name]?.contains(digest) == true
  }

  /// Returns the entry with the best evidence among entries with the same name: the MD5 in the manifest, an MD5 in another
  /// list, then the directory, then the entry's own checksum. Returns the first of several with equal evidence, and nil
  /// if no entry has evidence.
  func choose(among same: [Entry]) throws -> Entry? {
    if same.count == 1, !salvage.unverified.contains(same[0].index) { return same[0] }
    if let first = same.first, hasDigest(of: first.name) {
      if let right = try verifiedByDigest(among: same) { return right }
      // a list may be older than the entry that another list confirms
      return same.first { salvage.listed.contains($0.index) && !salvage.unverified.contains($0.index) }
    }
    let verified = same.filter { !salvage.unverified.contains($0.index) }
    if let right = verified.first(where: { salvage.listed.contains($0.index) }) ?? verified.first {
      return right
    }
    return try same.first { entry in
      if salvage.remains[entry.index] != nil { return !hasList(for: entry) || names.contains(entry.name) }
      return try proof.isOpenedByPassword(entry)
    }
  }

  /// Returns why an entry is left out.
  func reason(toLeaveOut entry: Entry, among count: Int) -> String {
    guard count == 1, let lost = salvage.remains[entry.index], !hasDigest(of: entry.name) else {
      return entry.reasonWhyUnverified(among: count)
    }
    return "it was found inside the remains of \(lost.escaped), and no list of the archive names it"
  }
}
