import ArchiveCatalog
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// The options of a library repair.
public struct LibraryRepairOptions: Sendable {
  /// Reports only, and writes nothing.
  public var isDryRun = false
  /// Where the archives come from.
  public var origin = Origin.given
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// The limits for archives.
  public var limits = Limits()
  /// The password for encrypted archives.
  public var password: Secret?
  /// Records the operation and damaged archives.
  public var ledger: Ledger?

  /// Makes the default options.
  public init() {}

  /// Where the archives come from.
  public enum Origin: Sendable, Equatable {
    /// A person gave them. Each must be usable.
    case given
    /// The jobs of the library made them; the best are first. The repair opens only as many as it needs, and an archive that
    /// cannot be read is a warning. `isComplete` tells whether these are all archives of the jobs.
    case jobs(isComplete: Bool)

    var isJobs: Bool { self != .given }
  }
}

/// The result of a library repair.
public struct LibraryRepairSummary: Sendable, Equatable, FindingReport {
  /// The number of photos that were read.
  public var photosChecked = 0
  /// Repaired photos with the archive that had each, and photos whose rows got the MD5 and the size of their files.
  public var repaired: [Finding] = []
  /// Photos that are still corrupt or missing, with the reason.
  public var damaged: [Finding] = []
  /// True if all archives of the library's jobs were searched and read, so that none of them has an intact file of a damaged
  /// photo.
  public var isSearchComplete = false
  /// Archives that could not be used, or not completely, by path.
  public var unusable: [Finding] = []
  /// Archives of the jobs that could not be read, or not completely. Only `damaged` tells whether they are needed.
  public var unread: [Finding] = []
  /// Damaged archives, each with a description.
  public var damagedArchives: [FilePath: String] = [:]
  /// The bytes of the repaired photos.
  public var bytes = 0
  /// The folder that keeps the corrupt files; nil if there were no corrupt files.
  public var kept: FilePath?
  /// Other warnings, for example about damage of the archives.
  public var warnings: [String] = []
  /// True if nothing was written.
  public var isDryRun = false

  /// True if a photo is still corrupt or missing, or an archive could not be read.
  public var isIncomplete: Bool { !damaged.isEmpty || !unusable.isEmpty }

  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding] { unusable + damaged }
}

extension LibraryRepairSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(photos: repaired.count, bytes: bytes), findings: damaged + unusable,
      isIncomplete: isIncomplete,
      photos: PhotoFindings(ofEveryPhoto: damaged, areInNoArchive: isSearchComplete))
  }
}

extension Work where Summary == LibraryRepairSummary {
  /// Starts reading every photo of a library, and repairing corrupt or missing photos by their MD5 from any of
  /// these archives, which may be damaged themselves.
  ///
  /// Keeps a corrupt file in the library's folder `.rotten`. The intact file replaces the corrupt one atomically after it
  /// is durable. A crash leaves each photo either unchanged or repaired. Changes no row, except a damaged row whose file is
  /// intact: the row gets the MD5 and the size of the file, and no archive is needed.
  ///
  /// The summary throws `BackupError`, `ArchiveError`, `LibraryError`, `FileLock.Busy` or `FileError`.
  public static func repairLibrary(
    _ library: FilePath, from archives: [FilePath], options: LibraryRepairOptions = LibraryRepairOptions()
  ) -> Self {
    let recorded = RecordedOperation(
      .repair, ofLibrary: library, archives: archives, isDryRun: options.isDryRun)
    return Work(recorded, by: options.ledger) { counter in
      let observer = options.ledger?.observer(named: "repair")
      let summary = try LibraryRepairRun(
        path: library, archives: archives, options: options, counter: counter
      ).run()
      observer?.recordDamage(summary.damagedArchives)
      return summary
    }
  }
}

/// One run of `repair -l`: verifies the library, searches for corrupt and missing photos, stages and replaces them.
struct LibraryRepairRun {
  let path: FilePath
  let archives: [FilePath]
  let options: LibraryRepairOptions
  let counter: ProgressCounter

  func run() throws -> LibraryRepairSummary {
    // a dry run opens nothing for writing, so it can read a library that another process is changing
    let writer =
      options.isDryRun
      ? nil
      : try LibraryWriter(path: path, lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock)
    let library = try writer?.library ?? Library(path: path)
    // archives that a person gave are opened before the library is read, which may take long
    var given = options.origin.isJobs ? nil : try open(archives[...])
    let (checked, damaged) = try library.withPhotoReadLock(whileWaiting: counter.reportWaitingForLock) {
      try LibraryCheck(library: library, counter: counter).unusablePhotos()
    }
    counter.enter(.restoring)
    var summary = LibraryRepairSummary()
    (summary.isDryRun, summary.photosChecked) = (options.isDryRun, checked)
    summary.isSearchComplete = options.origin == .jobs(isComplete: true)
    let rows = damaged.filter { $0.correctContent != nil }
    var repairs = PhotoRepairs(of: damaged.filter { $0.correctContent == nil })
    var rest = archives[...]
    while !rest.isEmpty, given != nil || !repairs.unavailable.isEmpty {
      let next = given == nil ? rest.prefix(Self.mostOpenArchives) : rest
      rest = rest.dropFirst(next.count)
      let others = try given.take() ?? open(next)
      let found = try repairs.search(others.sources, skipsUnreadable: true, counter)
      add(others, found, to: &summary)
    }
    let outcome = try writer.map { try repairs.apply($0, counter) } ?? PhotoRepairs.Outcome()
    let contents = rows.compactMap { row in row.correctContent.map { (row.photo.id, $0) } }
    try writer?.correct(Dictionary(uniqueKeysWithValues: contents))
    let verb = options.isDryRun ? "would get" : "got"
    summary.repaired = rows.map { row in
      Finding(row.label, "its row \(verb) the MD5 and the size of its file: \(row.reason)")
    }
    add(repairs, outcome, to: &summary)
    summary.damaged = repairs.unavailable.map(\.finding) + summary.damaged
    counter.report(summary.damaged)
    return summary
  }

  /// The most archives that are open at a time. The jobs may have hundreds, and the metadata of all would need much memory.
  private static let mostOpenArchives = 8

  private func open(_ paths: ArraySlice<FilePath>) throws -> OtherArchives {
    try OtherArchives(
      Array(paths), limits: options.limits, password: options.password, areOptional: options.origin.isJobs,
      counter)
  }

  /// Adds what a search found out about archives.
  private func add(
    _ others: OtherArchives, _ found: PhotoSources, to summary: inout LibraryRepairSummary
  ) {
    if !others.areAllReadable { summary.isSearchComplete = false }
    add(others.unusable, to: &summary)
    add(found.faults.mapValues { "\($0)" }, to: &summary)
    summary.warnings += others.warnings
    for source in others.sources {
      if let fault = source.salvage?.fault { summary.warnings.append(fault.message) }
      if source.format == .json {
        summary.warnings.append("\(source.path) is a JSON backup, which has no photo files")
      }
    }
    summary.damagedArchives.merge(others.damaged(found.failing)) { first, _ in first }
  }

  private func add(_ faults: [FilePath: String], to summary: inout LibraryRepairSummary) {
    let failed = faults.sorted { $0.key.string < $1.key.string }
    add(failed.map { Finding(.file($0.key.string.escaped), message: $0.value) }, to: &summary)
  }

  private func add(_ unusable: [Finding], to summary: inout LibraryRepairSummary) {
    guard !unusable.isEmpty else { return }
    summary.isSearchComplete = false
    if options.origin.isJobs { summary.unread += unusable } else { summary.unusable += unusable }
  }

  /// Adds what became of the repairs.
  private func add(
    _ repairs: PhotoRepairs, _ outcome: PhotoRepairs.Outcome, to summary: inout LibraryRepairSummary
  ) {
    add(outcome.faults, to: &summary)
    if !outcome.failures.isEmpty { summary.isSearchComplete = false }
    summary.kept = outcome.kept.map { path.appending($0.components) }
    let verb = options.isDryRun ? "would be repaired from " : "repaired from "
    for repair in repairs.repairs {
      let (id, label) = (repair.unusable.photo.id, repair.unusable.label)
      if let reason = outcome.failures[id] {
        summary.damaged.append(Finding(label, "it could not be moved to its folder: \(reason)"))
      } else {
        let origin = outcome.origins[id] ?? repair.sources[0].origin
        summary.repaired.append(Finding(label, verb + origin.string.escaped))
        summary.bytes += repair.size
      }
    }
  }
}
