import ArchiveCatalog
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// How a library is healed.
public struct HealOptions: Sendable {
  /// Looks and says, and writes nothing.
  public var isDryRun = false
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// What an archive may ask for.
  public var limits = Limits()
  /// For encrypted archives.
  public var password: Secret?
  /// Records which archives were found damaged.
  public var ledger: Ledger?

  /// The defaults.
  public init() {}
}

/// What a healing came to.
public struct HealSummary: Sendable, Equatable {
  /// Photos that were read.
  public var photosChecked = 0
  /// Photos that have their right bytes again; each by name, with the archive that gave them.
  public var healed: [Finding] = []
  /// Photos that are still rotten or missing; each by name, with what is wrong.
  public var damaged: [Finding] = []
  /// Archives that could not be used, or not to their end; each by its path.
  public var unusable: [Finding] = []
  /// Archives that were found damaged.
  public var damagedArchives: [FilePath: String] = [:]
  /// Bytes that were brought back.
  public var bytes = 0
  /// Where the rotten files are kept; nil if there were none.
  public var kept: FilePath?
  /// What else is worth knowing, damage of the archives among it.
  public var warnings: [String] = []
  /// Nothing was written.
  public var isDryRun = false

  /// True when a photo is still not as it should be, or an archive that was named could not be read.
  public var isIncomplete: Bool { !damaged.isEmpty || !unusable.isEmpty }
}

extension Work where Summary == HealSummary {
  /// Starts reading every photo of a library, and bringing those that are rotten or missing back by their MD5 from
  /// any of these archives, which may be damaged themselves.
  ///
  /// Rows do not change. A rotten file is kept in the library's folder `.rotten`; the right one takes its place
  /// in one step, after it is on the disk. A crash leaves each photo as it was or healed.
  ///
  /// The summary throws `BackupError`, `ArchiveError`, `LibraryError`, `FileLock.Busy` or `FileError`.
  public static func heal(
    _ library: FilePath, from archives: [FilePath], options: HealOptions = HealOptions()
  ) -> Self {
    Work { counter in
      let observer = options.ledger?.observer("heal")
      let summary = try HealRun(path: library, archives: archives, options: options, counter: counter).run()
      observer?.recordDamage(summary.damagedArchives)
      return summary
    }
  }
}

/// One run of `heal`: find what is wrong, find it elsewhere, stage, put in place.
struct HealRun {
  let path: FilePath
  let archives: [FilePath]
  let options: HealOptions
  let counter: ProgressCounter

  /// A photo that can be had elsewhere.
  private struct Found {
    var id: Int64
    var label: String
    var size: Int
    var place: FilePath
  }

  func run() throws -> HealSummary {
    // a dry run opens nothing for writing, so it can look at a library that another process is changing
    let writer =
      options.isDryRun
      ? nil
      : try LibraryWriter(path: path, lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock)
    let library = try writer?.library ?? Library(path: path)
    let others = try OtherArchives(archives, limits: options.limits, password: options.password, counter)
    var summary = summary(of: others)
    let (checked, patients) = try library.withPhotoReadLock(whileWaiting: counter.reportWaitingForLock) {
      try LibraryCheck(library: library, counter: counter).damagedPhotos()
    }
    summary.photosChecked = checked
    counter.enter(.restoring)
    let wanted = Dictionary(
      patients.compactMap { patient in patient.photo.md5.map { ($0, Optional(patient.photo.fileSize)) } },
      uniquingKeysWith: { first, _ in first })
    var supply = try PhotoSupply(wanted, from: others.sources, nil, counter, goesOn: true)
    let (cures, found) = try find(patients, in: &supply, &summary)
    let outcome = try writer.flatMap { try cures.isEmpty ? nil : cures.apply($0, counter) } ?? Cures.Outcome()
    let faults = outcome.faults.merging(supply.faults.mapValues { "\($0)" }, uniquingKeysWith: { $1 })
    for (path, fault) in faults.sorted(by: { $0.key.string < $1.key.string }) {
      summary.unusable.append(Finding(path.string.escaped, message: fault))
    }
    summary.damagedArchives = others.damaged(supply.failing)
    summary.kept = outcome.kept.map { path.appending($0.components) }
    report(found, outcome, &summary)
    return summary
  }

  /// What there is to say of the archives before any photo is looked for.
  private func summary(of others: OtherArchives) -> HealSummary {
    var summary = HealSummary()
    summary.isDryRun = options.isDryRun
    (summary.unusable, summary.warnings) = (others.unusable, others.warnings)
    for source in others.sources {
      if let fault = source.salvage?.fault { summary.warnings.append(fault.message) }
      if source.format == .json {
        summary.warnings.append("\(source.path) is a JSON backup, which holds no photo files")
      }
    }
    return summary
  }

  /// Looks for photos. Those that are nowhere stay damaged.
  private func find(
    _ patients: [LibraryCheck.DamagedPhoto], in supply: inout PhotoSupply, _ summary: inout HealSummary
  ) throws -> (Cures, [Found]) {
    var cures = Cures()
    var found: [Found] = []
    for patient in patients {
      counter.advance(current: patient.photo.name)
      guard let md5 = patient.photo.md5,
        let (bytes, others, size) = try supply.places(of: md5, size: patient.photo.fileSize)
      else {
        summary.damaged.append(Finding(patient.label, patient.reason))
        continue
      }
      cures.add(patient.photo, md5, from: [bytes] + others)
      found.append(Found(id: patient.photo.id, label: patient.label, size: size, place: bytes.place))
    }
    return (cures, found)
  }

  /// Says what became of the photos that were found.
  private func report(_ found: [Found], _ outcome: Cures.Outcome, _ summary: inout HealSummary) {
    let verb = options.isDryRun ? "could be brought back from " : "brought back from "
    for photo in found {
      if let reason = outcome.failures[photo.id] {
        summary.damaged.append(Finding(photo.label, "it could not be put in its place: \(reason)"))
      } else {
        let place = outcome.places[photo.id] ?? photo.place
        summary.healed.append(Finding(photo.label, verb + place.string.escaped))
        summary.bytes += photo.size
      }
    }
  }
}
