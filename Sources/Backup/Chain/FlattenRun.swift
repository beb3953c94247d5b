import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import Secrets
import SystemPackage
import Zip

/// The options of flattening.
public struct FlattenOptions: Sendable {
  /// An existing folder or a free file name; nil for `NAME.full.zip` beside the archive.
  public var destination: FilePath?
  /// The limits for archives.
  public var limits = Limits()
  /// The password for encrypted chains. It also encrypts the new archive.
  public var password: Secret?
  /// Records the operation, that the new archive is verified, and which archives of the chain are corrupt.
  public var ledger: Ledger?

  /// Makes the default options: writes beside the archive.
  public init() {}
}

/// The result of flattening.
public struct FlattenSummary: Sendable, Equatable, FindingReport {
  /// The new archive; nil if the old one is a full one.
  public var archive: FilePath?
  /// The archives of the chain, newest first. An archive that was repaired from another precedes the other.
  public var chain: [FilePath] = []
  /// Photos with files in the new archive, or in the old one if that is full.
  public var photos = 0
  /// Bytes of these photos.
  public var bytes = 0
  /// The length of the new archive.
  public var archiveBytes = 0
  /// Photos that are missing or corrupt in the chain.
  public var lost: [Finding] = []
  /// The archives that should contain intact files of the lost photos, with the reason of one photo each.
  package var damagedArchives: [FilePath: String] = [:]
  /// Other warnings.
  public var warnings: [String] = []

  /// True if photos are missing in the new archive. The chain is still needed then.
  public var isIncomplete: Bool { !lost.isEmpty }

  /// What is missing from the result, or corrupt in it.
  public var findings: [Finding] { lost }
}

extension FlattenSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(photos: photos, bytes: bytes), findings: findings, isIncomplete: isIncomplete,
      archives: [archive].compactMap(\.self))
  }
}

extension Work where Summary == FlattenSummary {
  /// Starts writing a full archive with the content of an incremental one, from the archives of its chain. The new
  /// archive has the content, the dates and the tags of the incremental archive, but a new ID.
  ///
  /// Never changes the chain. Publishes the new archive atomically when it is complete, durable and verified, and
  /// never replaces a file. Writes nothing if the archive is a full one.
  ///
  /// The summary throws `BackupError`, `ArchiveError` or `FileError`; nothing was published then.
  public static func flatten(_ archive: FilePath, options: FlattenOptions = FlattenOptions()) -> Self {
    Work(RecordedOperation(.flatten, archives: [archive]), by: options.ledger) { counter in
      let operation = options.ledger?.begin("flatten")
      let summary = try FlattenRun(path: archive, options: options, counter: counter).run()
      operation?.recordDamage(summary.damagedArchives)
      if let archive = summary.archive { operation?.recordVerified([archive]) }
      return summary
    }
  }
}

/// One run of `flatten`.
struct FlattenRun {
  let path: FilePath
  let options: FlattenOptions
  let counter: ProgressCounter

  func run() throws -> FlattenSummary {
    var summary = FlattenSummary()
    summary.chain = [path]
    let source = try openChain()
    guard let chain = source.chain else {
      (summary.photos, summary.bytes) = (source.photoFiles, source.photoBytes)
      return summary
    }
    summary.chain += chain.bases.map(\.path)
    let outputPath = try outputPath()
    let (count, bytes) = (source.photoFiles, source.photoBytes)
    // each photo is read, written and verified
    counter.setTotals(items: count * 3, bytes: bytes.saturated(times: 3))
    counter.enter(.verifying)
    let plan = try FlattenPlan(source, counter)
    counter.report(plan.lost)
    counter.setTotals(
      items: count + plan.items.count * 2, bytes: bytes.saturated(plus: plan.bytes.saturated(times: 2)))
    (summary.photos, summary.bytes) = (plan.items.count, plan.bytes)
    (summary.lost, summary.damagedArchives) = (plan.lost, plan.damagedArchives)
    summary.warnings = source.warnings + (source.leftOut + source.corruptBeforeBackup).map(\.message)
    let archive = RewrittenArchive(
      source: source, items: plan.items, metadata: plan.metadata(uuid: UUID()),
      password: source.isEncrypted ? options.password : nil, counter: counter)
    let published = try archive.publish(at: outputPath)
    summary.archive = published.archive
    summary.archiveBytes = published.bytes
    if let warning = published.warning { summary.warnings.append(warning) }
    return summary
  }

  /// Opens the archive with its chain.
  private func openChain() throws -> OpenedBackup {
    let source = try BackupOpener(
      counter: counter, limits: options.limits, password: options.password, ledger: options.ledger,
      reads: .allEntries, followsChains: true
    ).open(path)
    if let missing = source.missingBase {
      // the missing archive may be one that the disk cannot read
      throw source.chain?.unreadable.first
        ?? BackupError.baseMissing(source.chain?.bases.last?.path ?? path, uuid: missing)
    }
    return source
  }

  private func outputPath() throws -> RewrittenArchive.OutputPath {
    let stem = path.stem ?? "backup"
    let names =
      ["\(stem).full.zip"].map { FilePath($0) } + (2...100).map { FilePath("\(stem).full-\($0).zip") }
    guard let destination = options.destination else { return try .init(beside: path, as: names) }
    return try .init(ArchiveOutputPath(destination, outside: nil), orAs: names)
  }
}
