import ArchiveCatalog
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// The options of a repair.
public struct RepairOptions: Sendable {
  /// An existing folder or a free file name; nil for `NAME.repaired.zip` beside the archive.
  public var destination: FilePath?
  /// A library that may have missing photos.
  public var library: FilePath?
  /// How long to wait for a writer that is deleting the library's photo files.
  public var lockWait = Library.readersWait
  /// Archives that may have missing photos. They may be damaged themselves.
  public var others: [FilePath] = []
  /// The limits for archives.
  public var limits = Limits()
  /// The password for encrypted archives among `others`.
  public var password: Secret?
  /// Records the operation and damaged archives.
  public var ledger: Ledger?

  /// Makes the default options: writes beside the archive, with the intact photos of the archive.
  public init() {}
}

/// The result of a repair.
public struct RepairSummary: Sendable, Equatable, FindingReport {
  /// The new archive; nil if there was nothing to repair.
  public var archive: FilePath?
  /// Photos with files in the new archive, or in the old one if it is intact.
  public var photos = 0
  /// Bytes of these photos.
  public var bytes = 0
  /// The length of the new archive.
  public var archiveBytes = 0
  /// The damage to the structure of the old archive, empty if the structure is intact.
  public var faults: [Finding] = []
  /// Photos that were recovered from another source, by name.
  public var restored: [Finding] = []
  /// The missing photos and other losses, by name.
  public var lost: [Finding] = []
  /// Photos whose MD5s differ from the manifest, and which are in the new archive as they were found.
  public var contradicted: [Finding] = []
  /// Other archives that could not be used, with the reasons, if there are several.
  public var unusable: [Finding] = []
  /// Other archives that are damaged, with the reasons.
  public var damagedOthers: [FilePath: String] = [:]
  /// Other warnings.
  public var warnings: [String] = []

  /// True if something is missing or doubtful, or could not be used.
  public var isIncomplete: Bool {
    !lost.isEmpty || !contradicted.isEmpty || !unusable.isEmpty || archive == nil && !faults.isEmpty
  }
  /// True if there was nothing to repair, and nothing was written.
  public var isWhole: Bool { archive == nil && lost.isEmpty && faults.isEmpty }

  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding] { unusable + lost + contradicted }
}

extension RepairSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(photos: photos, bytes: bytes), findings: findings, isIncomplete: isIncomplete,
      archives: [archive].compactMap(\.self))
  }
}

extension Work where Summary == RepairSummary {
  /// Starts writing a new archive from a damaged one, with every photo that can be recovered. Recovers missing
  /// photos by their MD5 from a library or other archives.
  ///
  /// Never changes the damaged archive. Publishes the new archive atomically after it is durable and every byte is
  /// verified, and never replaces a file. Writes nothing if the archive is intact.
  ///
  /// The summary throws `BackupError`, `ArchiveError`, `LibraryError`, `FileLock.Busy` or `FileError`; nothing was
  /// published then.
  public static func repair(_ archive: FilePath, options: RepairOptions = RepairOptions()) -> Self {
    Work(RecordedOperation(.repair, archives: [archive]), by: options.ledger) { counter in
      let operation = options.ledger?.begin("repair")
      let summary = try RepairRun(path: archive, options: options, counter: counter).run()
      var damaged = summary.damagedOthers
      if !summary.isWhole {
        damaged[archive] = (summary.faults + summary.lost).first?.message ?? "it is incomplete"
      }
      operation?.recordDamage(damaged)
      if let written = summary.archive { operation?.recordVerified([written]) }
      return summary
    }
  }
}

/// One run of `repair`.
struct RepairRun {
  let path: FilePath
  let options: RepairOptions
  let counter: ProgressCounter

  func run() throws -> RepairSummary {
    let library = try options.library.map { try Library(path: $0) }
    guard let library else { return try run(library: nil) }
    return try library.withPhotoReadLock(
      lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock
    ) {
      try run(library: library)
    }
  }

  private func run(library: Library?) throws -> RepairSummary {
    let source = try openDamaged()
    let others = try OtherArchives(
      options.others, limits: options.limits, password: options.password, counter)
    var summary = RepairSummary()
    summary.unusable = others.unusable
    let outputPath = try outputPath(outside: library?.path)
    let entries = source.archive?.entries ?? []
    // each entry is read, written and verified; at most the missing photos come from other sources
    let (count, bytes) = (entries.count, entries.reduce(0) { $0.saturated(plus: $1.size) })
    let missing = missingPhotos(source)
    counter.setTotals(
      items: count * 3 + missing.count * 2,
      bytes: bytes.saturated(times: 3).saturated(plus: missing.bytes.saturated(times: 2)))
    counter.enter(.verifying)
    let plan = try RepairPlan(source, counter) { wanted in
      try PhotoSources(wanted, from: others.sources, library, counter)
    }
    counter.report(plan.lost + plan.contradicted)
    summary.damagedOthers = others.damaged(plan.failingOthers)
    summary.warnings =
      others.warnings + source.warnings + source.corruptBeforeBackup.map(\.message)
    if plan.isWhole {
      summary.photos = source.photoFiles
      summary.bytes = source.photoBytes
      return summary
    }
    counter.setTotals(
      items: count + plan.items.count * 2, bytes: bytes.saturated(plus: plan.bytes.saturated(times: 2)))
    summary.warnings += source.unknownEntries.map {
      "\($0.escaped) is an unknown entry and was not copied"
    }
    summary.faults = source.salvage.map { [$0.fault] } ?? []
    (summary.restored, summary.lost) = (plan.restored, plan.lost)
    summary.contradicted = plan.contradicted
    (summary.photos, summary.bytes) = (plan.items.count, plan.bytes)
    // without categories and photos, a new archive would be useless
    if plan.items.isEmpty, source.metadata.categories.isEmpty { return summary }
    let archive = RewrittenArchive(
      source: source, items: plan.items, metadata: plan.metadata(), password: nil, counter: counter)
    let published = try archive.publish(at: outputPath)
    summary.archive = published.archive
    summary.archiveBytes = published.bytes
    if let warning = published.warning { summary.warnings.append(warning) }
    return summary
  }

  /// Returns the path of the new archive: the requested one, or beside the damaged archive the first free name of
  /// `NAME.repaired.zip` and `NAME.repaired-2.zip` to `-100`.
  private func outputPath(outside library: FilePath?) throws -> RewrittenArchive.OutputPath {
    if let destination = options.destination {
      return try .init(ArchiveOutputPath(destination, outside: library), orAs: defaultNames)
    }
    if let library, path.folder.leads(into: library) {
      throw BackupError.destinationInLibrary(path.folder)
    }
    return try .init(beside: path, as: defaultNames)
  }

  private var defaultNames: [FilePath] {
    let stem = path.stem ?? "backup"
    return ["\(stem).repaired.zip"].map { FilePath($0) }
      + (2...100).map { FilePath("\(stem).repaired-\($0).zip") }
  }

  /// Opens the archive. Refuses an encrypted one, because the new archive would not be encrypted.
  private func openDamaged() throws -> OpenedBackup {
    do {
      let source = try BackupOpener(counter: counter, limits: options.limits, salvages: true).open(path)
      // in a damaged archive, bytes that look like an encrypted entry may not be an entry
      let isEncrypted =
        source.salvage == nil
        ? source.archive?.entries.contains(where: \.isEncrypted) == true
        : source.photos.contains { $0.location.isEncrypted }
      if !isEncrypted { return source }
    } catch BackupError.passwordNeeded {
      // throws below
    }
    throw BackupError.cannotRepairEncrypted(path)
  }

  /// Returns the number of missing photos of the archive, and their total size according to its rows.
  private func missingPhotos(_ source: OpenedBackup) -> (count: Int, bytes: Int) {
    let sizes = source.photos.compactMap { photo -> Int? in
      guard photo.location.unavailable?.isDamage == true else { return nil }
      return Int(min(max(photo.record.fileSize, 0), 1 << 30))
    }
    return (sizes.count, sizes.reduce(0) { $0.saturated(plus: $1) })
  }
}
