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
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// The limits for archives.
  public var limits = Limits()
  /// The password for encrypted archives.
  public var password: Secret?
  /// Records damaged archives.
  public var ledger: Ledger?

  /// Makes the default options.
  public init() {}
}

/// The result of a library repair.
public struct LibraryRepairSummary: Sendable, Equatable, FindingReport {
  /// The number of photos that were read.
  public var photosChecked = 0
  /// Photos that were repaired, with the archive that had them.
  public var repaired: [Finding] = []
  /// Photos that are still corrupt or missing, with the reason.
  public var damaged: [Finding] = []
  /// Archives that could not be used, or not completely, by path.
  public var unusable: [Finding] = []
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

extension Work where Summary == LibraryRepairSummary {
  /// Starts reading every photo of a library, and repairing corrupt or missing photos by their MD5 from any of
  /// these archives, which may be damaged themselves.
  ///
  /// Does not change rows. Keeps a corrupt file in the library's folder `.rotten`. The intact file replaces the
  /// corrupt one atomically after it is durable. A crash leaves each photo either unchanged or repaired.
  ///
  /// The summary throws `BackupError`, `ArchiveError`, `LibraryError`, `FileLock.Busy` or `FileError`.
  public static func repairLibrary(
    _ library: FilePath, from archives: [FilePath], options: LibraryRepairOptions = LibraryRepairOptions()
  ) -> Self {
    Work { counter in
      let operation = options.ledger?.begin("heal")
      let summary = try LibraryRepairRun(
        path: library, archives: archives, options: options, counter: counter
      ).run()
      operation?.recordDamage(summary.damagedArchives)
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
    let others = try OtherArchives(archives, limits: options.limits, password: options.password, counter)
    let (checked, damaged) = try library.withPhotoReadLock(whileWaiting: counter.reportWaitingForLock) {
      try LibraryCheck(library: library, counter: counter).unusablePhotos()
    }
    counter.enter(.restoring)
    let repairs = try PhotoRepairs(
      of: damaged, in: others.sources, library.contentTags().key, skipsUnreadable: true, counter)
    let unrepairable = repairs.unavailable.map { Finding($0.label, $0.reason) }
    counter.report(unrepairable)
    let outcome = try writer.map { try repairs.apply($0, counter) } ?? PhotoRepairs.Outcome()
    var summary = summary(of: others, checked: checked, repairs, outcome)
    counter.report(summary.damaged)
    summary.damaged = unrepairable + summary.damaged
    return summary
  }

  private func summary(
    of others: OtherArchives, checked: Int, _ repairs: PhotoRepairs, _ outcome: PhotoRepairs.Outcome
  ) -> LibraryRepairSummary {
    var summary = LibraryRepairSummary()
    summary.isDryRun = options.isDryRun
    summary.photosChecked = checked
    let faults = outcome.faults.merging(repairs.faults.mapValues { "\($0)" }, uniquingKeysWith: { $1 })
    summary.unusable =
      others.unusable
      + faults.sorted { $0.key.string < $1.key.string }.map { path, fault in
        Finding(path.string.escaped, message: fault)
      }
    summary.warnings = others.warnings
    for source in others.sources {
      if let fault = source.salvage?.fault { summary.warnings.append(fault.message) }
      if source.format == .json {
        summary.warnings.append("\(source.path) is a JSON backup, which has no photo files")
      }
    }
    summary.damagedArchives = others.damaged(repairs.failing)
    summary.kept = outcome.kept.map { path.appending($0.components) }
    let verb = options.isDryRun ? "would be repaired from " : "repaired from "
    for repair in repairs.repairs {
      let (id, label) = (repair.photo.photo.id, repair.photo.label)
      if let reason = outcome.failures[id] {
        summary.damaged.append(Finding(label, "it could not be moved to its folder: \(reason)"))
      } else {
        let place = outcome.places[id] ?? repair.sources[0].place
        summary.repaired.append(Finding(label, verb + place.string.escaped))
        summary.bytes += repair.size
      }
    }
    return summary
  }
}
