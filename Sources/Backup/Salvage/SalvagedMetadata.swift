import Checksums
import Operations
import Secrets
import Zip

/// A copy of `metadata.json` in a damaged archive.
struct SalvagedMetadata {
  /// What shows that a copy is the archive's own.
  private enum Evidence: Int {
    /// Its own checksum, outside of what is left of lost entries.
    case own
    /// A photo that was found has a path and an MD5 of its manifest; without an MD5, the size.
    case hasFoundPhoto
    /// The directory or `checksums.md5` lists it.
    case listed
  }

  let reading: MetadataReading
  /// The MD5 of the document.
  let digest: MD5Digest
  /// The folder that contains everything, with its slash; empty at the root.
  let root: String
  /// The number of entries that the manifest names.
  private let namedEntries: Int
  private var evidence = Evidence.own

  /// The most photos that are read to find out whether a manifest is that of the archive.
  private static let maximumSample = 8

  /// Returns the metadata with the best evidence. Best first:
  ///
  /// 1. a copy that the directory or `checksums.md5` lists;
  /// 2. a copy whose manifest agrees with a photo that was found;
  /// 3. a copy that cannot be a part of a lost entry.
  ///
  /// If several copies have the same evidence, returns the one that names the most entries, the last one if they name
  /// equally many. Skips metadata that cannot be read.
  ///
  /// - Parameter export: becomes `.statistics` if an entry is that of a statistics export.
  /// - Throws: an error other than damage, such as a limit, if it prevents reading the only metadata.
  static func best(
    in salvage: Salvage, _ digests: EntryDigests, _ lists: ChecksumEvidence, _ limits: Limits,
    recognizing export: inout PhotoExport?
  ) throws -> SalvagedMetadata? {
    let archive = salvage.archive
    let names = Set(archive.entries.map(\.name))
    var best: SalvagedMetadata?
    var refusal: (any Error)?
    for sameData in copies(in: salvage, digests.password) {
      let entry = sameData[0]
      guard !entry.isEncrypted || digests.password != nil else {
        throw BackupError.passwordNeeded(archive.path)
      }
      do {
        var reader = try EntryReader(archive, password: digests.password)
        let json = try reader.bytes(of: entry, limit: limits.maximumDocumentBytes)
        if PhotoExport.isStatistics(json, limits) {
          export = .statistics
          continue
        }
        let roots = Set(sameData.map(\.rootByMetadata))
        guard var copy = try SalvagedMetadata(json, below: roots, naming: names, limits),
          let evidence = try copy.evidence(sameData, in: salvage, digests, lists)
        else { continue }
        copy.evidence = evidence
        if let best, (evidence.rawValue, copy.namedEntries) < (best.evidence.rawValue, best.namedEntries) {
          continue
        }
        best = copy
      } catch let error as ArchiveError where error.cause.isOfContent {
        // bytes that only look like an entry may claim any size
        if error.cause == .limit, salvage.isVerified(entry) { refusal = error }
      } catch let error as Metadata.Fault {
        if error.newerVersion != nil { throw BackupError.metadata(archive.path, error) }
        if !error.isDamage { refusal = BackupError.metadata(archive.path, error) }
      }
    }
    if best == nil, let refusal { throw refusal }
    return best
  }

  /// Returns the entries that may be `metadata.json`, the listed ones last. Groups entries with the same data: a header
  /// and a directory record may give two names to one copy.
  private static func copies(in salvage: Salvage, _ password: Secret?) -> [[Entry]] {
    let all = salvage.archive.entries.filter { entry in
      entry.isMetadata && !entry.isIgnored && salvage.mayProve(entry, password)
    }
    let isListed = { (entry: Entry) in salvage.listed.contains(entry.index) }
    let copies =
      all.filter { !isListed($0) }.suffix(ChecksumEvidence.maximumLists)
      + all.filter(isListed).suffix(ChecksumEvidence.maximumLists)
    var byData = Dictionary(grouping: copies, by: \.dataOffset)
    return copies.compactMap { byData.removeValue(forKey: $0.dataOffset) }
  }

  /// Reads metadata below the root at which its manifest names the most entries. Returns nil without a root.
  private init?(
    _ json: [UInt8], below roots: Set<String>, naming names: Set<String>, _ limits: Limits
  ) throws {
    var best: (reading: MetadataReading, root: String, count: Int)?
    for root in roots.sorted() {
      var reading = try MetadataReading(json: json, root: root, maximumNesting: limits.maximumNesting)
      reading.repairSeconds()
      let count = reading.metadata.photoManifest.count { names.contains(root + $0.zipEntryName) }
      if count > best?.count ?? -1 { best = (reading, root, count) }
    }
    guard let best else { return nil }
    (reading, root, namedEntries) = best
    digest = MD5Digest(hashing: json)
  }

  /// Returns the evidence for a copy, which these entries have; nil without evidence.
  private func evidence(
    _ entries: [Entry], in salvage: Salvage, _ digests: EntryDigests, _ lists: ChecksumEvidence
  ) throws -> Evidence? {
    if entries.contains(where: { lists.isListed($0, digest: digest) }) { return .listed }
    if try hasFoundPhoto(in: salvage.archive, digests) { return .hasFoundPhoto }
    return entries.contains { salvage.remains[$0.index] == nil } ? .own : nil
  }

  /// Returns true if one of the first photos that were found is in the manifest with the same path and MD5.
  private func hasFoundPhoto(in archive: Archive, _ digests: EntryDigests) throws -> Bool {
    let byName = Dictionary(grouping: archive.entries, by: \.name)
    var sample = Self.maximumSample
    for item in reading.metadata.photoManifest {
      guard let entry = byName[root + item.zipEntryName]?.first else { continue }
      guard sample > 0 else { return false }
      sample -= 1
      if let digest = item.checksum.flatMap({ MD5Digest(hex: $0) }) {
        if try digests.digest(of: entry) == digest { return true }
      } else if item.fileSize == entry.size {
        return true
      }
    }
    return false
  }
}
