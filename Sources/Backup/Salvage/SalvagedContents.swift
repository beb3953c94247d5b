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
  private(set) var origin = OpenedBackup.Origin.unknown
  private(set) var warnings: [String] = []
  private(set) var leftOut: [Finding] = []
  private var writtenIDs: [Int64: Int64] = [:]
  private(set) var corruptBeforeBackup: [Finding] = []
  private(set) var unknownEntries: [String] = []
  private(set) var losses: [Finding] = []

  private let salvage: Salvage
  private let proof: EntryProof
  /// The most copies of metadata.json to read; an archive normally has one.
  private static let maximumCopies = 16

  /// Returns nil if nothing in the archive looks like a backup.
  ///
  /// - Parameter export: the kind of export, if the archive is an intact photo export and not a backup.
  init?(
    _ salvage: Salvage, of export: PhotoExport?, limits: Limits, _ password: Secret?,
    _ whileReading: @escaping (Int) throws -> Void
  ) throws {
    self.salvage = salvage
    proof = EntryProof(archive: salvage.archive, password: password, whileReading: whileReading)
    metadata = Metadata()
    var export = export
    if let found = try Self.metadata(in: salvage, limits, password, recognizing: &export) {
      (metadata, metadataDigest, root) = (found.reading.metadata, found.digest, found.root)
      origin = found.reading.origin
      (warnings, leftOut) = (found.reading.warnings, found.reading.leftOut)
      writtenIDs = found.reading.writtenIDs
      try match(try verifiedEntries())
    } else {
      isMetadataLost = true
      let named = try NamedPhotos(salvage, proof)
      // missing photos are worth reporting even if nothing else is left
      guard !named.metadata.photos.isEmpty || salvage.losses.contains(where: { Entry.isInPhotos($0.name) })
      else { return nil }
      metadata = named.metadata
      let reason =
        export == nil
        ? "it cannot be read, so categories, names and settings are lost; the photos are in “Rescued” with "
          + "the names of their entries"
        : "a photo export has no rows; the photos are in “Rescued” with the names of their entries"
      losses.append(Finding(MetadataEntries.metadataName, reason))
      losses += named.others
      try match(named.entries)
    }
  }

  /// Returns the metadata that fits the entries best, the last one if several fit equally. Skips metadata that
  /// cannot be read.
  ///
  /// - Parameter export: becomes `.statistics` if an entry is that of a statistics export.
  /// - Throws: an error other than damage, such as a limit, if it prevents reading the only metadata.
  private static func metadata(
    in salvage: Salvage, _ limits: Limits, _ password: Secret?, recognizing export: inout PhotoExport?
  ) throws -> (reading: MetadataReading, digest: MD5Digest, root: String)? {
    let archive = salvage.archive
    let copies = archive.entries.filter { entry in
      // decrypting and reading proves an encrypted entry
      entry.isMetadata && !entry.isIgnored
        && (!salvage.unverified.contains(entry.index) || entry.isEncrypted && password != nil)
    }
    let names = Set(archive.entries.map(\.name))
    var best: (reading: MetadataReading, digest: MD5Digest, root: String, hits: Int)?
    var refusal: (any Error)?
    for entry in copies.suffix(maximumCopies) {
      guard !entry.isEncrypted || password != nil else { throw BackupError.passwordNeeded(archive.path) }
      let json: [UInt8]
      do {
        var reader = try EntryReader(archive, password: password)
        json = try reader.bytes(of: entry, limit: limits.maximumDocumentBytes)
      } catch let error as ArchiveError {
        if error.concernsEveryEntry { throw error }
        // bytes that only look like an entry may claim any size
        if error.isLimit, !salvage.unverified.contains(entry.index) { refusal = error }
        continue
      }
      if PhotoExport.isStatistics(json, limits) {
        export = .statistics
        continue
      }
      let digest = MD5Digest(hashing: json)
      let root = entry.rootByMetadata
      var reading: MetadataReading
      do {
        reading = try MetadataReading(json: json, root: root, maximumNesting: limits.maximumNesting)
        reading.repairSeconds()
      } catch {
        if error.newerVersion != nil { throw BackupError.metadata(archive.path, error) }
        if !error.isDamage { refusal = BackupError.metadata(archive.path, error) }
        continue
      }
      let hits = reading.metadata.photoManifest.count { names.contains(root + $0.zipEntryName) }
      if hits >= best?.hits ?? 0 { best = (reading, digest, root, hits) }
    }
    if best == nil, let refusal { throw refusal }
    return best.map { ($0.reading, $0.digest, $0.root) }
  }

  /// Returns the entries under the root, one for each name. If several have the same name, or an entry may be part
  /// of other data, the manifest's MD5 decides. An entry that nothing confirms is missing.
  private mutating func verifiedEntries() throws -> [Entry] {
    var checksums: [String: MD5Digest] = [:]
    for item in metadata.photoManifest {
      guard let digest = item.checksum.flatMap({ MD5Digest(hex: $0) }) else { continue }
      checksums[root + item.zipEntryName] = digest
      checksums[root + "photos/\(item.fileName)"] = digest
    }
    let entries = salvage.archive.entries.filter { !$0.isDirectory && $0.name.hasPrefix(root) }
    let byName = Dictionary(grouping: entries, by: \.name)
    var verified: [Entry] = []
    for entry in entries {
      guard let same = byName[entry.name], same.first?.index == entry.index else { continue }
      if same.count == 1, !salvage.unverified.contains(entry.index) {
        verified.append(entry)
      } else if let digest = checksums[entry.name] {
        if let right = try same.first(where: { try proof.digest(of: $0) == digest }) {
          verified.append(right)
        } else {
          notVerified(entry, same.count)
        }
      } else if let first = try same.first(where: isVerified) {
        verified.append(first)
      } else {
        notVerified(entry, same.count)
      }
    }
    return verified
  }

  private var unverifiedNames: [String: String] = [:]

  private mutating func notVerified(_ entry: Entry, _ count: Int) {
    unverifiedNames[entry.name] = entry.reasonWhyUnverified(among: count)
  }

  private func isVerified(_ entry: Entry) throws -> Bool {
    try !salvage.unverified.contains(entry.index) || proof.isOpenedByPassword(entry)
  }

  private mutating func match(_ entries: [Entry]) throws {
    var reasons: [String: String] = [:]
    var names: Set<String> = []
    for loss in salvage.losses where loss.name.hasPrefix(root) {
      let name = String(loss.name.dropFirst(root.count))
      reasons[name] = "its file \(name.escaped) is lost: \(loss.reason)"
    }
    for (name, reason) in unverifiedNames where name.hasPrefix(root) {
      reasons[String(name.dropFirst(root.count))] = "its file \(name.escaped) is lost: \(reason)"
    }
    let matching = EntryMatching(
      metadata: metadata, entries: entries, root: root, writtenIDs: writtenIDs, losses: reasons)
    photos = matching.photos
    warnings += matching.warnings
    leftOut += matching.leftOut
    corruptBeforeBackup = matching.corruptBeforeBackup
    unknownEntries = matching.unknownEntries
    // each photo reports its own loss; losses of a copy that another copy replaces are not reported
    for item in metadata.photoManifest { names.formUnion([item.zipEntryName, "photos/\(item.fileName)"]) }
    names.formUnion(entries.map { String($0.name.dropFirst(root.count)) })
    let others =
      salvage.losses.map { ($0.name, $0.reason.description) }
      + unverifiedNames.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    for (name, reason) in others {
      let isKnown = name.hasPrefix(root) && names.contains(String(name.dropFirst(root.count)))
      // the list of checksums is written anew
      if !isKnown, !name.hasSuffix("/"), name != root + MetadataEntries.checksumsName {
        losses.append(Finding(name.escaped, reason))
      }
    }
  }
}
