import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// Makes a backup from the entries that were found in a damaged archive.
struct SalvagedContents {
  private(set) var metadata: Metadata
  /// The MD5 of `metadata.json`; nil if it is missing.
  private(set) var metadataDigest: MD5Digest?
  private(set) var root = ""
  private(set) var isMetadataLost = false
  private(set) var photos: [OpenedBackup.Photo] = []
  private(set) var origin = Metadata.Origin.unknown
  private(set) var warnings: [String] = []
  private(set) var leftOut: [Finding] = []
  private var writtenIDs: [Int64: Int64] = [:]
  private(set) var corruptBeforeBackup: [Finding] = []
  private(set) var unknownEntries: [String] = []
  private(set) var losses: [Finding] = []
  /// Why the own entries of photos are missing that got the entry of an equal photo, by index.
  private(set) var replaced: [Int: String] = [:]

  private let salvage: Salvage
  private let proof: EntryProof
  private var witnesses: SalvageWitnesses
  /// The most photos that are read to find out whether a manifest is that of the archive.
  private static let maximumSample = 8

  /// Returns nil if nothing in the archive looks like a backup.
  ///
  /// - Parameter export: the kind of export, if the archive is an intact photo export and not a backup.
  init?(
    _ salvage: Salvage, of export: PhotoExport?, limits: Limits, _ password: Secret?,
    _ whileReading: @escaping (Int) throws -> Void
  ) throws {
    self.salvage = salvage
    proof = EntryProof(archive: salvage.archive, password: password, whileReading: whileReading)
    witnesses = try SalvageWitnesses(salvage, proof, limits: limits)
    metadata = Metadata()
    var export = export
    if let found = try Self.metadata(in: salvage, proof, witnesses, limits, password, recognizing: &export) {
      (metadata, metadataDigest, root) = (found.reading.metadata, found.digest, found.root)
      origin = found.reading.origin
      (warnings, leftOut) = (found.reading.warnings, found.reading.leftOut)
      writtenIDs = found.reading.writtenIDs
      witnesses.add(metadata.photoManifest, below: root)
      try match(try verifiedEntries())
      try rescueOthers()
    } else {
      isMetadataLost = true
      let named = try NamedPhotos(salvage, proof, witnesses)
      // missing photos are worth reporting even if nothing else is left
      guard !named.metadata.photos.isEmpty || salvage.losses.contains(where: { Entry.isInPhotos($0.name) })
      else { return nil }
      metadata = named.metadata
      let reason =
        export == nil
        ? "it cannot be read, so categories, names and settings are lost; the photos are in “Rescued” with "
          + "the names of their entries"
        : "a photo export has no rows; the photos are in “Rescued” with the names of their entries"
      losses.append(Finding(.entry(MetadataEntries.metadataName), reason))
      losses += named.others
      try match(named.entries)
    }
  }

  /// Returns the metadata with the best evidence: a copy that the directory or `checksums.md5` lists, else one whose
  /// manifest agrees with a photo that was found, else one that cannot be a part of a lost entry. If several have the
  /// same evidence, returns the one that names the most entries, the last one if they name equally many. Skips metadata
  /// that cannot be read.
  ///
  /// - Parameter export: becomes `.statistics` if an entry is that of a statistics export.
  /// - Throws: an error other than damage, such as a limit, if it prevents reading the only metadata.
  private static func metadata(
    in salvage: Salvage, _ proof: EntryProof, _ witnesses: SalvageWitnesses, _ limits: Limits,
    _ password: Secret?, recognizing export: inout PhotoExport?
  ) throws -> (reading: MetadataReading, digest: MD5Digest, root: String)? {
    let archive = salvage.archive
    let all = archive.entries.filter { entry in
      // decrypting and reading proves an encrypted entry
      entry.isMetadata && !entry.isIgnored
        && (!salvage.unverified.contains(entry.index) || salvage.remains[entry.index] != nil
          || entry.isEncrypted && password != nil)
    }
    let isListed = { (entry: Entry) in salvage.listed.contains(entry.index) }
    let copies =
      all.filter { !isListed($0) }.suffix(SalvageWitnesses.maximumLists)
      + all.filter(isListed).suffix(SalvageWitnesses.maximumLists)
    let names = Set(archive.entries.map(\.name))
    var best: (reading: MetadataReading, digest: MD5Digest, root: String, hits: Int, evidence: Evidence)?
    var refusal: (any Error)?
    // a header and a directory record may give two names to one copy
    var namesOfCopy = Dictionary(grouping: copies, by: \.dataOffset)
    for entry in copies {
      guard let sameData = namesOfCopy.removeValue(forKey: entry.dataOffset) else { continue }
      guard !entry.isEncrypted || password != nil else { throw BackupError.passwordNeeded(archive.path) }
      let json: [UInt8]
      do {
        var reader = try EntryReader(archive, password: password)
        json = try reader.bytes(of: entry, limit: limits.maximumDocumentBytes)
      } catch let error as ArchiveError {
        if !error.cause.isOfContent { throw error }
        // bytes that only look like an entry may claim any size
        if error.cause == .limit, !salvage.unverified.contains(entry.index) { refusal = error }
        continue
      }
      if PhotoExport.isStatistics(json, limits) {
        export = .statistics
        continue
      }
      let digest = MD5Digest(hashing: json)
      let copy: (reading: MetadataReading, root: String, hits: Int)?
      do {
        copy = try reading(json, below: Set(sameData.map(\.rootByMetadata)), naming: names, limits)
      } catch {
        if error.newerVersion != nil { throw BackupError.metadata(archive.path, error) }
        if !error.isDamage { refusal = BackupError.metadata(archive.path, error) }
        continue
      }
      guard let copy else { continue }
      let evidence: Evidence
      if sameData.contains(where: { witnesses.isListed($0, digest: digest) }) {
        evidence = .listed
      } else if try hasFoundPhoto(copy.reading.metadata.photoManifest, below: copy.root, in: salvage, proof) {
        evidence = .hasFoundPhoto
      } else if sameData.contains(where: { salvage.remains[$0.index] == nil }) {
        evidence = .own
      } else {
        continue
      }
      if let best, (evidence.rawValue, copy.hits) < (best.evidence.rawValue, best.hits) { continue }
      best = (copy.reading, digest, copy.root, copy.hits, evidence)
    }
    if best == nil, let refusal { throw refusal }
    return best.map { ($0.reading, $0.digest, $0.root) }
  }

  /// Reads metadata below the root at which its manifest names the most entries.
  private static func reading(
    _ json: [UInt8], below roots: Set<String>, naming names: Set<String>, _ limits: Limits
  ) throws(Metadata.Fault) -> (reading: MetadataReading, root: String, hits: Int)? {
    var best: (reading: MetadataReading, root: String, hits: Int)?
    for root in roots.sorted() {
      var reading = try MetadataReading(json: json, root: root, maximumNesting: limits.maximumNesting)
      reading.repairSeconds()
      let hits = reading.metadata.photoManifest.count { names.contains(root + $0.zipEntryName) }
      if hits > best?.hits ?? -1 { best = (reading, root, hits) }
    }
    return best
  }

  /// What shows that a copy of `metadata.json` is the archive's own.
  private enum Evidence: Int {
    /// Its own checksum, outside of what is left of lost entries.
    case own
    /// A photo that was found has a path and an MD5 of its manifest; without an MD5, the size.
    case hasFoundPhoto
    /// The directory or `checksums.md5` lists it.
    case listed
  }

  /// Returns true if one of the first photos that were found is in a manifest with the same path and MD5.
  private static func hasFoundPhoto(
    _ manifest: [Metadata.ManifestEntry], below root: String, in salvage: Salvage, _ proof: EntryProof
  ) throws -> Bool {
    let byName = Dictionary(grouping: salvage.archive.entries, by: \.name)
    var sample = maximumSample
    for item in manifest {
      guard let entry = byName[root + item.zipEntryName]?.first else { continue }
      guard sample > 0 else { return false }
      sample -= 1
      if let digest = item.checksum.flatMap({ MD5Digest(hex: $0) }) {
        if try proof.digest(of: entry) == digest { return true }
      } else if item.fileSize == entry.size {
        return true
      }
    }
    return false
  }

  /// Returns the entries under the root, one for each name. An entry that nothing confirms is missing.
  private mutating func verifiedEntries() throws -> [Entry] {
    let entries = salvage.archive.entries.filter { !$0.isDirectory && $0.name.hasPrefix(root) }
    let byName = Dictionary(grouping: entries, by: \.name)
    var verified: [Entry] = []
    for entry in entries {
      guard let same = byName[entry.name], same.first?.index == entry.index else { continue }
      if let right = try witnesses.choose(among: same) {
        verified.append(right)
      } else {
        unverified[entry.name] = witnesses.reason(toLeaveOut: entry, among: same.count)
      }
    }
    // a header and a directory record may give two names to the same data
    let offsets = Set(verified.filter { witnesses.manifestNames.contains($0.name) }.map(\.dataOffset))
    return verified.filter { entry in
      entry.size == 0 || witnesses.manifestNames.contains(entry.name) || !offsets.contains(entry.dataOffset)
    }
  }

  /// Why entries that nothing confirms are missing, by name.
  private var unverified: [String: String] = [:]

  /// Adds the intact photos whose names the metadata does not list. One with the MD5 of a missing photo is this photo.
  /// The others, for example those of another archive in the same file, get new IDs and the category “Rescued”.
  private mutating func rescueOthers() throws {
    let folder = PhotoExport.statistics.folder
    let intact = salvage.archive.entries.filter { !salvage.unverified.contains($0.index) }
    var others = OpenedBackup.unlistedPhotos(among: intact, besides: photos)
    let names = Set(others.map(\.name))
    unknownEntries.removeAll(where: names.contains)
    // files that the manifest lists for photos without rows
    let items = Set(names.map(\.escaped))
    leftOut.removeAll { items.contains(root.escaped + $0.item) }
    try restoreMissing(from: &others)
    try restoreMissingFromMisnamed(intact)
    guard !others.isEmpty else { return }
    let rows = try NamedPhotos.rows(of: others, in: folder, proof)
    let category = rescueCategory(rows.metadata.categories)
    let usedIDs = Set(metadata.photos.map(\.id))
    var freeIDs = IDs.range.lazy.filter { !usedIDs.contains($0) }.makeIterator()
    for (var record, entry) in zip(rows.metadata.photos, rows.entries) {
      guard let id = freeIDs.next() else { break }
      (record.id, record.categoryId) = (id, category)
      metadata.photos.append(record)
      photos.append(
        .init(
          record: record, originalPath: record.path, location: .entry(EntryReference(entry, md5: nil))))
    }
    warnings.append(
      "the metadata does not list \(Count(others.count, "intact photo")), which the category “Rescued” contains"
    )
  }

  /// Gives missing photos the entries of other photos for which the manifest has the same MD5.
  private mutating func restoreMissingFromOtherPhotos() {
    let missing = photos.indices.filter { photos[$0].location.unavailable?.isDamage == true }
    guard !missing.isEmpty else { return }
    var references: [MD5Digest: EntryReference] = [:]
    for photo in photos {
      if case .entry(let reference) = photo.location, let md5 = reference.md5, references[md5] == nil {
        references[md5] = reference
      }
    }
    for index in missing {
      guard let unavailable = photos[index].location.unavailable, let md5 = unavailable.md5,
        let reference = references[md5]
      else { continue }
      photos[index] = photos[index].at(.entry(reference))
      replaced[index] = unavailable.reason
    }
  }

  /// Gives missing photos the entries that have their MD5, and removes these from `others`.
  private mutating func restoreMissing(from others: inout [Entry]) throws {
    var missing: [MD5Digest: [Int]] = [:]
    for (index, photo) in photos.enumerated() {
      if let md5 = photo.location.unavailable?.md5 { missing[md5, default: []].append(index) }
    }
    guard !missing.isEmpty else { return }
    try others.removeAll { entry in
      guard let md5 = try proof.digest(of: entry), let indices = missing.removeValue(forKey: md5) else {
        return false
      }
      for index in indices { photos[index] = photos[index].at(.entry(EntryReference(entry, md5: md5))) }
      return true
    }
  }

  /// Gives missing photos the entries outside of `photos/` that have their MD5: damage may have changed their names.
  private mutating func restoreMissingFromMisnamed(_ intact: [Entry]) throws {
    var others = intact.filter { entry in
      !Entry.isInPhotos(entry.name) && !entry.isDirectory && !entry.isIgnored && !entry.isDerived
        && !entry.isTextOfBackup && entry.size > 0
    }
    let names = Set(others.map(\.name))
    try restoreMissing(from: &others)
    let used = names.subtracting(others.map(\.name))
    unknownEntries.removeAll(where: used.contains)
  }

  /// Returns the ID of the category for rescued photos. Adds the category unless it exists.
  private mutating func rescueCategory(_ categories: [Metadata.CategoryRecord]) -> Int64 {
    guard var category = categories.first else { return 1 }
    if let known = metadata.categories.first(where: { $0.name == category.name }) { return known.id }
    let usedIDs = Set(metadata.categories.map(\.id))
    category.id = IDs.range.first { !usedIDs.contains($0) } ?? 1
    category.position = (metadata.categories.map(\.position).max() ?? 0).saturated(plus: 1)
    metadata.categories.append(category)
    return category.id
  }

  private mutating func match(_ entries: [Entry]) throws {
    var reasons: [String: String] = [:]
    for loss in salvage.losses where loss.name.hasPrefix(root) {
      let name = String(loss.name.dropFirst(root.count))
      reasons[name] = "its file \(name.escaped) is lost: \(loss.reason)"
    }
    for (name, reason) in unverified where name.hasPrefix(root) {
      reasons[String(name.dropFirst(root.count))] = "its file \(name.escaped) is lost: \(reason)"
    }
    let matching = EntryMatching(
      metadata: metadata, entries: entries, root: root, writtenIDs: writtenIDs, losses: reasons)
    photos = matching.photos
    restoreMissingFromOtherPhotos()
    warnings += matching.warnings
    leftOut += matching.leftOut
    corruptBeforeBackup = matching.corruptBeforeBackup
    unknownEntries = matching.unknownEntries
    report(unverified, besides: entries)
  }

  /// Records the lost entries that no photo reports. A photo reports the loss of its own entry, and the loss of a copy is
  /// none if another copy was found. Two entries with one name and different content are no copies.
  private mutating func report(_ unverified: [String: String], besides entries: [Entry]) {
    /// The CRC-32s of the files of each name that were found, or are reported already; nil among them if one is unknown.
    var known: [String: Set<UInt32?>] = [:]
    for item in metadata.photoManifest {
      for name in [item.zipEntryName, "photos/\(item.fileName)"] { known[root + name] = [] }
    }
    let intact = salvage.archive.entries.filter { !salvage.unverified.contains($0.index) }
    for entry in entries { known[entry.name, default: []].insert(entry.knownCRC32) }
    for entry in intact { known[entry.name]?.insert(entry.knownCRC32) }
    for loss in salvage.losses where !isWrittenAnew(loss.name) {
      guard let crc32s = known[loss.name] else {
        losses.append(Finding(.entry(loss.name.escaped), loss.reason.description))
        continue
      }
      known[loss.name]?.formUnion(loss.crc32s)
      // without a found entry, the photo of this name reports the loss
      if !crc32s.isEmpty, !crc32s.contains(nil), !loss.crc32s.subtracting([nil]).isSubset(of: crc32s) {
        losses.append(Finding(.entry(loss.name.escaped), "another file of this name is lost: \(loss.reason)"))
      }
    }
    for (index, container) in salvage.remains.sorted(by: { $0.key < $1.key }) {
      let entry = salvage.archive.entries[index]
      guard let crc32s = known[entry.name], !crc32s.contains(nil), !crc32s.contains(entry.knownCRC32) else {
        continue
      }
      losses.append(
        Finding(
          .entry(entry.name.escaped),
          "another file of this name was found inside the remains of \(container.escaped), and no list of the archive names it"
        ))
    }
    for (name, reason) in unverified.sorted(by: { $0.key < $1.key })
    where known[name] == nil && !isWrittenAnew(name) {
      losses.append(Finding(.entry(name.escaped), reason))
    }
  }

  /// True for folders and for the list of checksums, which a new archive gets anew.
  private func isWrittenAnew(_ name: String) -> Bool {
    name.hasSuffix("/") || name == root + MetadataEntries.checksumsName
  }
}
