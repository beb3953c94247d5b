import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage
import Zip

/// The result of a check.
public struct CheckSummary: Sendable, FindingReport {
  /// Entries of archives, or photos of a library, that were read to their end.
  public var entriesChecked = 0
  /// The corrupt or missing items, with the reasons.
  public var damaged: [Finding] = []
  /// Unknown entries of an archive, or untracked files of a library.
  public var untracked: [String] = []
  /// Files that an import or `add` staged in a library, and that are not photos: another process runs it, or it was
  /// interrupted.
  public var stagedFiles = 0
  /// The bytes of `stagedFiles`.
  public var stagedBytes = 0
  /// Warnings, for example about photos that were missing before the archive was made, which is not damage of the
  /// archive.
  public var warnings: [String] = []
  /// Backups that could not be read, with the reasons, if there are several.
  public var unreadable: [Unreadable] = []

  /// A backup that could not be read.
  public struct Unreadable: Sendable {
    /// The backup.
    public var path: FilePath
    /// Why the backup could not be read.
    public var error: any Error

    /// The backup with the error.
    var finding: Finding { Finding(of: path, error) }
  }

  /// Adds the result of another check.
  static func += (sum: inout CheckSummary, other: CheckSummary) {
    sum.entriesChecked += other.entriesChecked
    sum.damaged += other.damaged
    sum.untracked += other.untracked
    sum.warnings += other.warnings
    sum.unreadable += other.unreadable
  }

  /// The corrupt and missing items, and the backups that could not be read.
  public var findings: [Finding] { damaged + unreadable.map(\.finding) }
}

/// Reads every entry of a backup to its end, and compares its CRC, and its MD5 with the manifest.
struct ArchiveCheck {
  let source: OpenedBackup
  let counter: ProgressCounter
  /// The number of photos to read concurrently; nil for the best number for the disk.
  var readers: Int?
  /// True if the same run verifies the base.
  var isBaseChecked = false
  /// Called for each damaged item when it is found, by any thread: missing photos first, then other entries, then photos.
  var whenDamaged: @Sendable (Finding) -> Void = { _ in }

  /// Checks the backup. Blocks; reads only.
  func run() throws -> CheckSummary {
    var summary = CheckSummary()
    summary.untracked = source.unknownEntries.map(\.escaped)
    // the following are no damage: the archive is as it was written
    summary.warnings = source.warnings + (source.skipped + source.corruptBeforeBackup).map(\.message)
    guard source.format == .zip else {
      summary.warnings.append("a JSON backup has no photo files; only its document was checked")
      return summary
    }
    if let increment = source.increment, !isBaseChecked {
      summary.warnings.append(
        "the archive depends on archive \(increment.baseID.escaped), which contains "
          + "\(Count(source.photosStoredInBase, "of its photos", "of its photos")); verify that archive, too")
    }
    for photo in source.photos where !photo.isStoredInBase {
      guard let unavailable = photo.location.unavailable else { continue }
      let finding = Finding(source.label(of: photo), unavailable.reason)
      if unavailable.isDamage {
        whenDamaged(finding)
        summary.damaged.append(finding)
      } else {
        summary.warnings.append(finding.message)
      }
    }
    guard let archive = source.archive else { return summary }
    let check = try EntryCheck(source, archive, counter, whenDamaged)
    try PhotoReading(counter, Readers(readers, on: archive.status.identity)).collect(
      check.files.count, check.photo)
    summary.entriesChecked = check.files.count
    let damaged = check.damaged.values
    summary.warnings += check.listed.warnings + damaged.filter(\.isDerived).map(\.finding.message)
    summary.damaged += damaged.filter { !$0.isDerived }.map(\.finding)
    return summary
  }
}

/// Compares the entries of an archive with its lists, on any thread.
private final class EntryCheck: Sendable {
  /// The indices of the entries that are not folders: photos last, since a large document at the end would keep one thread
  /// busy when all others have ended.
  let files: [Int]
  let listed: ChecksumList
  /// The damaged entries, in the order of `files`. Without those that were made from the photos, the backup is intact.
  let damaged: OrderedResults<(finding: Finding, isDerived: Bool)>
  private let source: OpenedBackup
  private let archive: Archive
  private let counter: ProgressCounter
  /// For each entry, the index of its photo.
  private let photos: [Int?]

  init(
    _ source: OpenedBackup, _ archive: Archive, _ counter: ProgressCounter,
    _ whenDamaged: @escaping @Sendable (Finding) -> Void
  ) throws {
    var photos = [Int?](repeating: nil, count: archive.entries.count)
    for (index, photo) in source.photos.enumerated() {
      if let entry = photo.location.ownEntry?.entry { photos[entry.index] = index }
    }
    (self.source, self.archive, self.counter, self.photos) = (source, archive, counter, photos)
    damaged = OrderedResults { if !$0.isDerived { whenDamaged($0.finding) } }
    let files = archive.entries.indices.filter { !archive.entries[$0].isDirectory }
    self.files = files.filter { photos[$0] == nil } + files.filter { photos[$0] != nil }
    listed = try ChecksumList(of: source)
  }

  /// Returns an entry to read. The progress counts photos only.
  ///
  /// - Parameter index: the index in `files`.
  func photo(_ index: Int) -> PhotoReading.Photo {
    let entry = files[index]
    return PhotoReading.Photo(
      bytes: .entry(entry, of: archive, password: source.password),
      counted: photos[entry].map { _ in archive.entries[entry].size }
    ) { self.add($0, at: index) }
  }

  private func add(_ outcome: PhotoOutcome, at index: Int) {
    let entry = archive.entries[files[index]]
    let photo = photos[entry.index].map { source.photos[$0] }
    let fault = fault(outcome, unless: photo?.location.md5, listed[entry])
    let isDerived = photo == nil && entry.isDerived
    let finding = fault.map { fault in
      Finding(
        photo.map(source.label) ?? .entry(entry.name.escaped),
        isDerived ? "\(fault); an import does not use it" : fault)
    }
    damaged.add(finding.map { ($0, isDerived) }, at: index)
    if let photo { counter.advance(current: photo.record.name) }
  }

  /// - Parameters:
  ///   - md5: the MD5 in the manifest.
  ///   - listed: the MD5 in `checksums.md5`.
  private func fault(_ outcome: PhotoOutcome, unless md5: MD5Digest?, _ listed: MD5Digest?) -> String? {
    if let fault = outcome.fault(unless: md5) { return "\(fault)" }
    guard let listed, let found = outcome.content?.md5, found != listed else { return nil }
    return "its MD5 is \(found), and checksums.md5 says \(listed)"
  }
}
