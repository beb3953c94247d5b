import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import Zip

/// The backup that a damaged archive still has: metadata, and photos that are joined with the entries that were found.
struct SalvagedContents {
  private(set) var metadata: Metadata
  /// The MD5 of `metadata.json`; nil if it is missing.
  let metadataDigest: MD5Digest?
  let root: String
  let origin: Metadata.Origin
  private(set) var join: PhotoJoin
  private(set) var warnings: [String]
  /// Rows and files of the metadata that could not be used.
  private(set) var skipped: [Finding]
  /// Missing entries that no photo reports.
  let missing: [Finding]
  /// Why the own entries of photos are missing that got the entry of an equal photo, by index.
  private(set) var replaced: [Int: String] = [:]

  /// Chooses the metadata and the entries, and joins them. Reads entries.
  ///
  /// - Parameter export: the kind of export, if the archive is an intact photo export and not a backup.
  /// - Returns: nil if nothing in the archive looks like a backup.
  init?(
    _ salvage: Salvage, of export: PhotoExport?, limits: Limits, _ password: Secret?,
    _ whileReading: @escaping (Int) throws -> Void
  ) throws {
    let digests = EntryDigests(archive: salvage.archive, password: password, whileReading: whileReading)
    let evidence = try ChecksumEvidence(salvage, digests, limits: limits)
    var export = export
    let found = try SalvagedMetadata.best(in: salvage, digests, evidence, limits, recognizing: &export)
    if let found {
      try self.init(salvage, found, digests, evidence)
    } else {
      let named = try NamedPhotos(salvage, digests, evidence)
      // missing photos are worth reporting even if nothing else is left
      guard !named.entries.isEmpty || salvage.losses.contains(where: { Entry.isInPhotos($0.name) }) else {
        return nil
      }
      self.init(salvage, named, of: export)
    }
  }

  /// Makes substitute rows for an archive without metadata.
  private init(_ salvage: Salvage, _ named: NamedPhotos, of export: PhotoExport?) {
    let reason =
      export == nil
      ? "it cannot be read, so categories, names and settings are lost; the photos are in “Rescued” with "
        + "the names of their entries"
      : "a photo export has no rows; the photos are in “Rescued” with the names of their entries"
    let missing = MissingEntries(salvage: salvage)
    (metadata, metadataDigest, root, origin) = (named.metadata, nil, "", .unknown)
    join = PhotoJoin(metadata, named.entries, missing: missing.reasons)
    (warnings, skipped) = (join.warnings, join.skippedFiles)
    self.missing =
      [Finding(.entry(MetadataEntries.metadataName), reason)] + named.others
      + missing.findings(besides: named.entries, metadata.photoManifest)
  }

  /// Joins the metadata with the entries that have evidence.
  private init(
    _ salvage: Salvage, _ found: SalvagedMetadata, _ digests: EntryDigests, _ lists: ChecksumEvidence
  ) throws {
    (metadata, metadataDigest, root) = (found.reading.metadata, found.digest, found.root)
    origin = found.reading.origin
    var missing = MissingEntries(salvage: salvage, root: root)
    let entries = try Self.entries(below: root, metadata.photoManifest, in: salvage, lists, &missing)
    join = PhotoJoin(
      metadata, entries, below: root, writtenIDs: found.reading.writtenIDs, missing: missing.reasons)
    warnings = found.reading.warnings + join.warnings
    skipped = found.reading.skipped + join.skippedFiles
    self.missing = missing.findings(besides: entries, metadata.photoManifest)
    try useEqualPhotos()
    try addUnlistedPhotos(salvage, digests)
  }

  /// Returns the entries below the root, one for each name. An entry that nothing confirms is missing.
  private static func entries(
    below root: String, _ manifest: [Metadata.ManifestEntry], in salvage: Salvage, _ lists: ChecksumEvidence,
    _ missing: inout MissingEntries
  ) throws -> [Entry] {
    var evidence = lists
    evidence.add(manifest, below: root)
    var entries: [Entry] = []
    let files = salvage.archive.entries.filter { !$0.isDirectory && $0.name.hasPrefix(root) }
    try evidence.choose(among: files) { same, chosen in
      if let chosen {
        entries.append(chosen)
      } else {
        missing.unconfirmed[same[0].name] = evidence.reason(toSkip: same)
      }
    }
    // a header and a directory record may give two names to the same data
    let offsets = Set(entries.filter { evidence.isInManifest($0.name) }.map(\.dataOffset))
    return entries.filter { entry in
      entry.size == 0 || evidence.isInManifest(entry.name) || !offsets.contains(entry.dataOffset)
    }
  }

  /// Gives missing photos the entries of other photos for which the manifest has the same MD5.
  private mutating func useEqualPhotos() throws {
    let before = join.photos
    var equal = EqualPhotos(before)
    try join.photos.complete(from: &equal)
    for (index, photo) in before.enumerated() where join.photos[index].location.unavailable == nil {
      replaced[index] = photo.location.unavailable?.reason
    }
  }

  /// Adds the intact photos whose names the metadata does not list. One with the MD5 of a missing photo is this photo.
  /// The others, for example those of another archive in the same file, get new IDs and the category “Rescued”.
  private mutating func addUnlistedPhotos(_ salvage: Salvage, _ digests: EntryDigests) throws {
    let intact = salvage.archive.entries.filter(salvage.isVerified)
    let photos = OpenedBackup.unlistedPhotos(among: intact, besides: join.photos)
    let names = Set(photos.map(\.name))
    join.unknownEntries.removeAll(where: names.contains)
    // files that the manifest lists for photos without rows
    let items = Set(names.map(\.escaped))
    skipped.removeAll { items.contains(root.escaped + $0.item) }
    var unlisted = UnnamedEntries(photos, digest: digests.digest)
    try join.photos.complete(from: &unlisted)
    // damage may have changed their names
    var misnamed = UnnamedEntries(intact.filter(\.mayBeMisnamedPhoto), digest: digests.digest)
    try join.photos.complete(from: &misnamed)
    join.unknownEntries.removeAll(where: misnamed.usedNames.contains)
    try rescue(unlisted.unused, digests)
  }

  /// Adds a row in the category “Rescued” for each of these entries.
  private mutating func rescue(_ entries: [Entry], _ digests: EntryDigests) throws {
    guard !entries.isEmpty else { return }
    let rows = try EntryRows(rescued: entries, in: PhotoExport.statistics.folder, digests)
    let category = rows.metadata.categories.first.map { addCategory($0) } ?? 1
    let usedIDs = Set(metadata.photos.map(\.id))
    var freeIDs = IDs.range.lazy.filter { !usedIDs.contains($0) }.makeIterator()
    for (var record, entry) in zip(rows.metadata.photos, rows.entries) {
      guard let id = freeIDs.next() else { break }
      (record.id, record.categoryId) = (id, category)
      metadata.photos.append(record)
      join.photos.append(
        .init(
          record: record, originalPath: record.path, location: .entry(EntryReference(entry, md5: nil))))
    }
    warnings.append(
      "the metadata does not list \(Count(entries.count, "intact photo")), which the category “Rescued” contains"
    )
  }

  /// Adds a category unless one with its name exists. Returns its ID.
  private mutating func addCategory(_ category: Metadata.CategoryRecord) -> Int64 {
    var category = category
    if let known = metadata.categories.first(where: { $0.name == category.name }) { return known.id }
    let usedIDs = Set(metadata.categories.map(\.id))
    category.id = IDs.range.first { !usedIDs.contains($0) } ?? 1
    category.position = (metadata.categories.map(\.position).max() ?? 0).saturated(plus: 1)
    metadata.categories.append(category)
    return category.id
  }
}

extension Entry {
  /// True for a file that may be a photo, although it is not in `photos/`.
  fileprivate var mayBeMisnamedPhoto: Bool {
    !Self.isInPhotos(name) && !isDirectory && !isIgnored && !isDerived && !isTextOfBackup && size > 0
  }
}
