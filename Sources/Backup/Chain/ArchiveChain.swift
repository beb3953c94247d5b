import ArchiveCatalog
import Checksums
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// An incremental backup and the archives that it depends on, to the full archive or the first missing one.
struct ArchiveChain {
  private let newest: OpenedBackup
  /// The archives before the newest, newest first. They are stored without their photos, since each has a row for
  /// every photo of the library. An archive that was repaired from another precedes the other.
  private let bases: [OpenedBackup]
  /// The files in the bases.
  private let files: ChainFiles

  /// Follows a backup's bases.
  ///
  /// - Parameter find: returns the archives that satisfy a reference. If several have a file, the first is used.
  init(_ newest: OpenedBackup, find: (ArchiveDescriptor.BaseReference) throws -> [OpenedBackup]) rethrows {
    var bases: [OpenedBackup] = []
    var files = ChainFiles()
    var seen = Set([newest.metadataDigest].compactMap { $0 })
    while let increment = (bases.last ?? newest).increment,
      let digest = MD5Digest(hex: increment.baseDigest), seen.insert(digest).inserted,
      case let found = try find(increment.reference), !found.isEmpty
    {
      for base in found {
        files.add(base, at: bases.count)
        bases.append(base.with(photos: []))
      }
    }
    (self.newest, self.bases, self.files) = (newest, bases, files)
  }

  /// True if the chain includes a full archive.
  var isComplete: Bool { missing == nil }

  /// The ID of the missing base; nil for a complete chain.
  private var missing: String? { (bases.last ?? newest).increment?.baseID }

  /// Returns the newest backup with the location of each photo in the archives of the chain.
  ///
  /// - Parameter unreadable: the errors of archives that could not be read; one of these archives may be the
  ///   missing one.
  func resolved(unreadable: [any Error]) -> OpenedBackup {
    guard newest.increment != nil else { return newest }
    let chain = OpenedBackup.Chain(
      bases: bases, missing: missing, unreadable: isComplete ? [] : unreadable)
    return newest.with(photos: newest.photos.map(located)).with(chain: chain)
  }

  private func located(_ photo: OpenedBackup.Photo) -> OpenedBackup.Photo {
    guard case .unavailable(let unavailable) = photo.location, unavailable.cause.isStoredInBase else {
      return photo
    }
    if let md5 = unavailable.md5, let file = files.file(with: md5),
      let entry = bases[Int(file.archive)].archive?.entries[Int(file.entry)]
    {
      return photo.at(.entry(EntryReference(entry, md5: md5, base: file.archive)))
    }
    let cause: Unavailable.Cause = missing.map { .baseMissing(archiveID: $0) } ?? .notInChain
    return photo.at(.unavailable(Unavailable(cause, md5: unavailable.md5)))
  }
}

extension OpenedBackup {
  /// Returns the archive that has a photo's bytes, or should have them.
  func archive(of photo: Photo) -> FilePath {
    guard case .entry(let reference) = photo.location, let base = reference.base, let chain else {
      return path
    }
    return chain.bases[Int(base)].path
  }

  /// The reference to the base; nil for a full backup.
  package var increment: Metadata.Increment? { metadata.smilepile?.increment }

  /// Opens a backup with its chain, which it searches for in the backup's folder. Blocks; writes nothing.
  ///
  /// - Parameters:
  ///   - path: the newest archive.
  ///   - limits: the limits for each archive.
  ///   - password: for encrypted archives.
  ///   - check: called between archives; may throw to cancel.
  /// - Throws: the errors of `init(path:limits:password:)`. A missing archive of the chain is not an error; see
  ///   `missingBase`.
  package static func withChain(
    path: FilePath, limits: Limits = Limits(), password: Secret? = nil,
    ledger: Ledger? = nil, check: @escaping () throws -> Void = {}
  ) throws -> OpenedBackup {
    let newest = try OpenedBackup(path: path, limits: limits, password: password)
    guard newest.increment != nil else { return newest }
    let finder = ChainFinder(beside: path, limits: limits, password: password, ledger: ledger, check: check)
    return try newest.withChain(by: finder, limits)
  }

  /// Returns an incremental backup with its chain.
  ///
  /// - Parameter known: opened backups that take precedence over those of the folder.
  func withChain(
    among known: [OpenedBackup] = [], by finder: ChainFinder, _ limits: Limits
  ) throws -> OpenedBackup {
    let chain = try ArchiveChain(self) { base in
      let known = known.filter { $0.satisfies(base) }
      if known.isEmpty { return try finder.candidates(for: base) }
      let isOriginal = { (source: OpenedBackup) in source.metadataDigest?.description == base.digest }
      return known.filter { !isOriginal($0) } + known.filter(isOriginal)
    }
    let resolved = chain.resolved(unreadable: finder.unreadable)
    // many rows may share one file, and each gets a copy: a small archive must not fill the disk this way
    guard resolved.photoBytes <= limits.maximumBytes else {
      let reason = "its photos have \(resolved.photoBytes) bytes; at most \(limits.maximumBytes) are read"
      throw BackupError.tooLarge(path, reason: reason, remedy: .increaseByteLimit)
    }
    return resolved
  }

  /// Returns true if the backup is this base or was repaired from it.
  func satisfies(_ base: ArchiveDescriptor.BaseReference) -> Bool {
    guard let provenance = metadata.smilepile, provenance.uuid == base.archiveID else { return false }
    return metadataDigest?.description == base.digest || provenance.repairedFrom.contains(base.digest)
  }

  /// The ID of the missing archive of the chain; nil for a full backup or a complete chain.
  package var missingBase: String? { chain.map(\.missing) ?? increment?.baseID }

  /// The number of photos that are stored in the base or its chain.
  package var photosStoredInBase: Int { photos.count(where: \.isStoredInBase) }

  /// The files that are stored in the base, as the metadata lists them. For a backup that was opened without its chain.
  var filesStoredInBase: [Metadata.FileStoredInBase] {
    photos.filter(\.isStoredInBase).map { photo in
      Metadata.FileStoredInBase(
        photoId: photo.record.id, originalPath: photo.originalPath, fileSize: photo.record.fileSize,
        checksum: photo.location.md5?.description ?? "")
    }
  }

  /// Returns the entry of a photo, and the backup and archive that contain it; nil if no archive contains it.
  func entry(of location: PhotoLocation) -> (entry: Entry, source: OpenedBackup, archive: Archive)? {
    guard case .entry(let reference) = location else { return nil }
    let holder = reference.base.flatMap { chain?.bases[Int($0)] } ?? self
    return holder.archive.map { (reference.entry, holder, $0) }
  }
}

extension Metadata.Increment {
  /// The reference to the base.
  var reference: ArchiveDescriptor.BaseReference {
    ArchiveDescriptor.BaseReference(archiveID: baseID, digest: baseDigest, depth: chainDepth)
  }
}
