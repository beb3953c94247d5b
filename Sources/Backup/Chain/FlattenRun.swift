import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import Secrets
import SystemPackage
import Zip

/// How a chain is flattened.
public struct FlattenOptions: Sendable {
  /// An existing folder or a free file name; nil for `NAME.full.zip` beside the archive.
  public var destination: FilePath?
  /// What an archive may ask for.
  public var limits = Limits()
  /// For encrypted chains; the new archive is encrypted with it.
  public var password: Secret?
  /// Records that the new archive is verified, and which archives of the chain are corrupt.
  public var ledger: Ledger?

  /// The defaults: beside the archive.
  public init() {}
}

/// What a flattening came to.
public struct FlattenSummary: Sendable, Equatable {
  /// The new archive; nil if the old one is a full one.
  public var archive: FilePath?
  /// The archives of the chain, newest first. An archive that was repaired from another precedes it.
  public var chain: [FilePath] = []
  /// Photos with files in the new archive, or in the old one if that is full.
  public var photos = 0
  /// Bytes of these photos.
  public var bytes = 0
  /// The length of the new archive.
  public var archiveBytes = 0
  /// Photos that the chain promises, and that are missing or corrupt.
  public var lost: [Finding] = []
  /// What else is worth knowing.
  public var warnings: [String] = []

  /// True when the new archive does not hold all that the chain promises. Then the chain is still needed.
  public var isIncomplete: Bool { !lost.isEmpty }
}

extension Work where Summary == FlattenSummary {
  /// Starts writing a full archive with the content of an incremental one, from the archives of its chain. The content, the
  /// dates and the tags are those of the incremental archive; the ID is a new one.
  ///
  /// Never changes the chain. Publishes the new archive when it is complete, durable and verified, and never replaces a file.
  /// Writes nothing if the archive is a full one.
  ///
  /// The summary throws `BackupError`, `ArchiveError` or `FileError`; nothing was published then.
  public static func flatten(_ archive: FilePath, options: FlattenOptions = FlattenOptions()) -> Self {
    Work { counter in
      let observer = options.ledger?.observer("flatten")
      let summary = try FlattenRun(path: archive, options: options, counter: counter).run()
      if let lost = summary.lost.first {
        observer?.recordDamage(Dictionary(uniqueKeysWithValues: summary.chain.map { ($0, lost.message) }))
      }
      if let archive = summary.archive { observer?.recordVerified([archive]) }
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
    let source = try folded()
    guard let chain = source.chain else {
      (summary.photos, summary.bytes) = (source.photoFiles, source.photoBytes)
      return summary
    }
    summary.chain += chain.bases.map(\.path)
    let target = try target()
    let (count, bytes) = (source.photoFiles, source.photoBytes)
    // each is read, written and read back
    counter.setTotals(items: count * 3, bytes: bytes.saturated(times: 3))
    counter.enter(.verifying)
    let plan = try FlattenPlan(source, counter)
    counter.setTotals(
      items: count + plan.items.count * 2, bytes: bytes.saturated(plus: plan.bytes.saturated(times: 2)))
    (summary.photos, summary.bytes, summary.lost) = (plan.items.count, plan.bytes, plan.lost)
    summary.warnings = source.warnings + (source.leftOut + source.damagedBefore).map(\.message)
    let archive = RewrittenArchive(
      source: source, items: plan.items, metadata: plan.metadata(uuid: UUID()),
      password: source.isEncrypted ? options.password : nil, counter: counter)
    let published = try archive.publish(at: target)
    summary.archive = published.archive
    summary.archiveBytes = published.bytes
    if let warning = published.warning { summary.warnings.append(warning) }
    return summary
  }

  /// Opens the archive with its chain.
  private func folded() throws -> OpenedBackup {
    let newest = try OpenedBackup(path: path, limits: options.limits, password: options.password)
    try newest.requirePassword(toRead: .allEntries)
    guard newest.increment != nil else { return newest }
    let finder = ChainFinder(
      beside: path, limits: options.limits, password: options.password, ledger: options.ledger,
      check: counter.checkCancellation)
    let source = try newest.folded(by: finder, options.limits)
    if let missing = source.missingBase {
      // it may be one of those that the disk does not give
      throw source.chain?.unreadable.first
        ?? BackupError.baseMissing(source.chain?.bases.last?.path ?? path, uuid: missing)
    }
    return source
  }

  private func target() throws -> RewrittenArchive.Target {
    let stem = path.stem ?? "backup"
    let names =
      ["\(stem).full.zip"].map { FilePath($0) } + (2...100).map { FilePath("\(stem).full-\($0).zip") }
    guard let destination = options.destination else { return try .init(beside: path, as: names) }
    return try .init(Destination(destination, outside: nil), orAs: names)
  }
}
