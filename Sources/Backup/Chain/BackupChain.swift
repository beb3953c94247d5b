import ArchiveCatalog
import Checksums
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// An incremental backup and the archives that it rests on, back to the full one, as far as they are there.
struct BackupChain {
  /// The backup whose state is that of the chain.
  let newest: BackupSource
  /// The archives before it, the newest first, without their photos: each has a row for every photo of the library. What
  /// was repaired from one of them stands before it.
  let bases: [BackupSource]
  /// The files that they hold, by their MD5.
  private(set) var files: [MD5Digest: File] = [:]
  /// The entries of each of `bases`.
  private let entries: [[Entry]]

  /// A file that an archive of `bases` holds, the first that does. Small, since there may be one for every photo.
  struct File {
    /// The archive's place in `bases`.
    let number: Int32
    /// The place of its entry in the archive.
    let entry: Int32
  }

  /// Follows a backup's bases.
  ///
  /// - Parameter find: the archive of this number whose `metadata.json` has this MD5, and what was repaired from it, as
  ///   far as they are there: where several have a file, the first.
  init(_ newest: BackupSource, find: (ArchiveDescriptor.BaseReference) throws -> [BackupSource]) rethrows {
    self.newest = newest
    var bases: [BackupSource] = []
    var seen = Set([newest.metadataDigest].compactMap { $0 })
    while let increment = (bases.last ?? newest).increment,
      let digest = MD5Digest(hex: increment.baseDigest), seen.insert(digest).inserted,
      case let found = try find(increment.reference), !found.isEmpty
    {
      for base in found {
        for photo in base.photos {
          // what was already damaged there is held as it is, under the MD5 that it has
          guard case .entry(let entry, let md5?) = photo.content, files[md5] == nil else { continue }
          files[md5] = File(number: Int32(bases.count), entry: Int32(entry.index))
        }
        bases.append(base.withoutPhotos)
      }
    }
    self.bases = bases
    entries = bases.map { $0.archive?.entries ?? [] }
  }

  /// Whether it reaches back to a full archive.
  var isWhole: Bool { missing == nil }

  /// The number of the archive that it rests on and that is not there; nil for a whole chain.
  private var missing: String? { (bases.last ?? newest).increment?.base }

  /// A file's entry, in the archive of `bases` that has it.
  func entry(_ file: File) -> Entry { entries[Int(file.number)][Int(file.entry)] }

  /// One backup of all: the newest, with each photo's bytes from whichever archive of the chain holds them.
  func folded() -> BackupSource {
    var result = newest
    guard newest.increment != nil else { return result }
    result.chain = BackupSource.Chain(bases: bases, missing: missing)
    let lostBecause =
      missing.map { Self.reason(archive: $0, isThere: false) } ?? "no archive of the chain holds its file"
    for index in result.photos.indices where result.photos[index].isHeld {
      guard case .absent(_, let isDamage, let md5) = result.photos[index].content else { continue }
      if let md5, let file = files[md5] {
        result.photos[index].content = .base(entry(file), md5: md5, number: Int(file.number))
      } else {
        result.photos[index].content = .absent(
          reason: lostBecause, isDamage: isWhole || isDamage, md5: md5)
      }
    }
    return result
  }

  /// Why a photo's file is not in an incremental archive.
  static func reason(archive uuid: String, isThere: Bool = true) -> String {
    "its file is in the base, archive \(uuid.escaped)" + (isThere ? "" : ", which is not here")
  }
}

extension BackupSource {
  /// What an incremental backup rests on, as far as it is there.
  struct Chain: Sendable {
    /// The archives before it, the newest first, without their photos. What was repaired from one of them stands before it.
    var bases: [BackupSource]
    /// The number of the archive that is not there; nil if they reach back to a full one.
    var missing: String?
    /// What the disk did not give when that was looked for, so that it may be there all the same.
    var unreadable: [any Error] = []
  }

  /// The archive that holds a photo's bytes, or should.
  func archive(of photo: Photo) -> FilePath {
    guard case .base(_, _, let number) = photo.content, let chain else { return path }
    return chain.bases[number].path
  }

  /// What this one rests on; nil for a full backup.
  package var increment: Metadata.Increment? { metadata.smilepile?.increment }

  /// Opens a backup together with the archives that it rests on, which are looked for in its folder: each photo's bytes
  /// are where the chain has them. Blocks; writes nothing.
  ///
  /// - Parameters:
  ///   - path: the newest archive.
  ///   - limits: what each archive may ask for.
  ///   - password: opens encrypted archives.
  ///   - check: called between archives, and may throw to give up.
  /// - Throws: as `init(path:limits:password:)`. That an archive of the chain is not there is no error; see `missingBase`.
  package static func withChain(
    path: FilePath, limits: Limits = Limits(), password: Secret? = nil,
    ledger: Ledger? = nil, check: @escaping () throws -> Void = {}
  ) throws -> BackupSource {
    let newest = try BackupSource(path: path, limits: limits, password: password)
    guard newest.increment != nil else { return newest }
    let finder = ChainFinder(beside: path, limits: limits, password: password, ledger: ledger, check: check)
    return try newest.folded(by: finder, limits)
  }

  /// An incremental backup together with the archives that it rests on.
  ///
  /// - Parameter known: where they are looked for before the folder.
  func folded(
    among known: [BackupSource] = [], by finder: ChainFinder, _ limits: Limits
  ) throws -> BackupSource {
    let chain = try BackupChain(self) { base in
      let known = known.filter { $0.satisfies(base) }
      if known.isEmpty { return try finder.candidates(for: base) }
      let isOriginal = { (source: BackupSource) in source.metadataDigest?.description == base.digest }
      return known.filter { !isOriginal($0) } + known.filter(isOriginal)
    }
    var folded = chain.folded()
    if !chain.isWhole {
      folded.chain?.unreadable = finder.unreadable
      folded.warnings += finder.unreadable.map { "\($0)" }
    }
    // of many rows that share one file, each gets a copy: a small archive must not fill a disk that way
    guard folded.photoBytes <= limits.maximumBytes else {
      let reason = "its photos have \(folded.photoBytes) bytes; at most \(limits.maximumBytes) are read"
      throw BackupError.notABackup(path, reason: reason)
    }
    return folded
  }

  /// Returns whether a backup that refers to this base can use it: it is the base, or was repaired from it.
  func satisfies(_ base: ArchiveDescriptor.BaseReference) -> Bool {
    guard let provenance = metadata.smilepile, provenance.uuid == base.archiveID else { return false }
    return metadataDigest?.description == base.digest || provenance.repairedFrom.contains(base.digest)
  }

  /// The number of the archive that an incremental backup rests on and that is not there; nil for one that is whole.
  package var missingBase: String? { chain.map(\.missing) ?? increment?.base }

  /// How many photos have their files in the archives that this one rests on.
  package var heldPhotos: Int { photos.count(where: \.isHeld) }

  /// The files that this one does not hold itself, as its metadata has them.
  var heldFiles: [Metadata.HeldFile] {
    photos.filter(\.isHeld).map { photo in
      Metadata.HeldFile(
        photoId: photo.record.id, originalPath: photo.originalPath, fileSize: photo.record.fileSize,
        checksum: photo.content.md5?.description ?? "")
    }
  }

  /// The archive, and the password for it, of a photo's entry.
  func place(of content: Content) -> (entry: Entry, source: BackupSource, archive: Archive)? {
    switch content {
    case .entry(let entry, _):
      archive.map { (entry, self, $0) }
    case .base(let entry, _, let number):
      chain.flatMap { chain in chain.bases[number].archive.map { (entry, chain.bases[number], $0) } }
    case .asset, .file, .absent: nil
    }
  }

  fileprivate var withoutPhotos: BackupSource {
    var source = self
    source.photos = []
    return source
  }
}

extension Metadata.Increment {
  /// How it refers to its base.
  var reference: ArchiveDescriptor.BaseReference {
    ArchiveDescriptor.BaseReference(archiveID: base, digest: baseDigest, depth: length)
  }
}
