import ArchiveCatalog
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// How an archive is repaired.
public struct RepairOptions: Sendable {
  /// An existing folder or a free file name; nil for `NAME.repaired.zip` beside the archive.
  public var destination: FilePath?
  /// A library that may hold what is lost.
  public var library: FilePath?
  /// How long to wait for a writer that is deleting the library's photo files.
  public var lockWait = Library.readersWait
  /// Archives that may hold what is lost. They may be damaged themselves.
  public var others: [FilePath] = []
  /// What an archive may ask for.
  public var limits = Limits()
  /// For those of `others` that are encrypted.
  public var password: Secret?
  /// Records which archives were found damaged.
  public var ledger: Ledger?

  /// The defaults: beside the archive, with what is left in it.
  public init() {}
}

/// What a repair came to.
public struct RepairSummary: Sendable, Equatable {
  /// The new archive; nil if there was nothing to repair.
  public var archive: FilePath?
  /// Photos with files in the new archive, or in the old one if that is whole.
  public var photos = 0
  /// Bytes of these photos.
  public var bytes = 0
  /// The length of the new archive.
  public var archiveBytes = 0
  /// What was wrong with the old archive as a whole, empty if its structure is right.
  public var faults: [Finding] = []
  /// Photos that were brought from somewhere else; each by name.
  public var restored: [Finding] = []
  /// What is lost; each by name.
  public var lost: [Finding] = []
  /// Other archives that could not be used, of several; each with the reason.
  public var unusable: [Finding] = []
  /// Other archives that were found damaged.
  public var damagedOthers: [FilePath: String] = [:]
  /// What else is worth knowing.
  public var warnings: [String] = []

  /// True when something that was asked for could not be had.
  public var isIncomplete: Bool {
    !lost.isEmpty || !unusable.isEmpty || archive == nil && !faults.isEmpty
  }
  /// There was nothing to repair, and nothing was written.
  public var isWhole: Bool { archive == nil && lost.isEmpty && faults.isEmpty }
}

extension Work where Summary == RepairSummary {
  /// Starts writing a damaged archive anew, with every photo that can be rescued out of it, and those that are
  /// lost by their MD5 from a library or other archives.
  ///
  /// The damaged archive is never touched. The new one is written out of sight, flushed, read back to the last
  /// byte, and then gets its name, never over a file. A whole archive is left alone, and nothing is written.
  ///
  /// The summary throws `BackupError`, `ArchiveError`, `LibraryError`, `FileLock.Busy` or `FileError`; nothing was published
  /// then.
  public static func repair(_ archive: FilePath, options: RepairOptions = RepairOptions()) -> Self {
    Work { counter in
      let observer = options.ledger?.observer("repair")
      let summary = try RepairRun(path: archive, options: options, counter: counter).run()
      var damaged = summary.damagedOthers
      if !summary.isWhole {
        damaged[archive] = (summary.faults + summary.lost).first?.message ?? "it is incomplete"
      }
      observer?.recordDamage(damaged)
      if let written = summary.archive { observer?.recordVerified([written]) }
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
    let check = { [counter] (_: Int) in try counter.checkCancellation() }
    let source = try openDamaged(check)
    let others = try OtherArchives(
      options.others, limits: options.limits, password: options.password, counter)
    var summary = RepairSummary()
    summary.unusable = others.unusable
    let target = try target(outside: library?.path)
    let entries = source.archive?.entries ?? []
    // each is read, written and read back, and at most so many come from elsewhere
    let (count, bytes) = (entries.count, entries.reduce(0) { $0.saturated(plus: $1.size) })
    let absent = absentPhotos(source)
    counter.setTotals(
      items: count * 3 + absent.count * 2,
      bytes: bytes.saturated(times: 3).saturated(plus: absent.bytes.saturated(times: 2)))
    counter.enter(.verifying)
    let plan = try RepairPlan(source, counter) { wanted in
      try PhotoSources(wanted, from: others.sources, library, counter)
    }
    summary.damagedOthers = others.damaged(plan.failingOthers)
    summary.warnings =
      others.warnings + source.warnings + source.damagedBefore.map(\.message)
    if plan.isWhole {
      summary.photos = source.photoFiles
      summary.bytes = source.photoBytes
      return summary
    }
    counter.setTotals(
      items: count + plan.items.count * 2, bytes: bytes.saturated(plus: plan.bytes.saturated(times: 2)))
    summary.warnings += source.unknownEntries.map {
      "\($0.escaped) is mentioned nowhere, and does not come along"
    }
    summary.faults = source.salvage.map { [$0.fault] } ?? []
    (summary.restored, summary.lost) = (plan.restored, plan.lost)
    (summary.photos, summary.bytes) = (plan.items.count, plan.bytes)
    // where not even the categories are left, a new archive would say nothing
    if plan.items.isEmpty, source.metadata.categories.isEmpty { return summary }
    let archive = RewrittenArchive(
      source: source, items: plan.items, metadata: plan.metadata(), password: nil, counter: counter)
    let published = try archive.publish(at: target)
    summary.archive = published.archive
    summary.archiveBytes = published.bytes
    if let warning = published.warning { summary.warnings.append(warning) }
    return summary
  }

  /// Where the new archive goes: where it was asked for, or beside the damaged one under the first of these names that
  /// is free: `NAME.repaired.zip`, and then with a number.
  private func target(outside library: FilePath?) throws -> RewrittenArchive.Target {
    if let destination = options.destination {
      return try .init(Destination(destination, outside: library), orAs: defaultNames)
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

  /// The new archive would have to be written without encryption, which nobody asked for.
  private func openDamaged(_ check: @escaping (Int) throws -> Void) throws -> OpenedBackup {
    do {
      let source = try OpenedBackup.salvaging(path, limits: options.limits, whileReading: check)
      // in a damaged one, what looks like an encrypted entry may be none
      let isEncrypted =
        source.salvage == nil
        ? source.archive?.entries.contains(where: \.isEncrypted) == true
        : source.photos.contains { $0.location.isEncrypted }
      if !isEncrypted { return source }
    } catch BackupError.passwordNeeded {
      // as below
    }
    throw BackupError.cannotRepairEncrypted(path)
  }

  /// The photos that the archive promises and does not hold, with the sizes that it says they have.
  private func absentPhotos(_ source: OpenedBackup) -> (count: Int, bytes: Int) {
    let sizes = source.photos.compactMap { photo -> Int? in
      guard photo.location.unavailable?.isDamage == true else { return nil }
      return Int(min(max(photo.record.fileSize, 0), 1 << 30))
    }
    return (sizes.count, sizes.reduce(0) { $0.saturated(plus: $1) })
  }
}
