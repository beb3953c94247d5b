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
  /// The corrupt or missing items, by name, with the reasons.
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
  /// Called for each damaged item when it is found, in the archive's order, by any thread.
  var whenDamaged: @Sendable (Finding) -> Void = { _ in }

  /// Checks the backup. Blocks; reads only.
  func run() throws -> CheckSummary {
    var summary = CheckSummary()
    summary.untracked = source.unknownEntries.map(\.escaped)
    // the following are no damage: the archive is as it was written
    summary.warnings = source.warnings + (source.leftOut + source.corruptBeforeBackup).map(\.message)
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
    if let archive = source.archive { try check(archive, &summary) }
    return summary
  }

  private func check(_ archive: Archive, _ summary: inout CheckSummary) throws {
    var photos = [Int?](repeating: nil, count: archive.entries.count)
    for (index, photo) in source.photos.enumerated() {
      if let entry = photo.location.ownEntry?.entry { photos[entry.index] = index }
    }
    let listed = try ChecksumList(of: source)
    let files = archive.entries.filter { !$0.isDirectory }
    let damaged = OrderedResults(whenFound: whenDamaged)
    // the backup is intact without the files that were made from the photos
    let damagedDerived = OrderedResults<Finding>()
    let reading = PhotoReading(counter, Readers(readers, on: archive.status.identity))
    try reading.collect(files.count) { [source, counter, photos] index in
      let entry = files[index]
      let photo = photos[entry.index].map { source.photos[$0] }
      let bytes = PhotoBytes.entry(entry.index, of: archive, password: source.password)
      return PhotoReading.Photo(bytes: bytes, counted: photo.map { _ in entry.size }) { outcome in
        let fault = Self.fault(outcome, unless: photo?.location.md5, listed[entry])
        let item = photo.map(source.label) ?? .entry(entry.name.escaped)
        let isDerived = photo == nil && entry.isDerived
        damaged.add(isDerived ? nil : fault.map { Finding(item, $0) }, at: index)
        damagedDerived.add(
          isDerived ? fault.map { Finding(item, "\($0); an import does not use it") } : nil, at: index)
        if let photo { counter.advance(current: photo.record.name) }
      }
    }
    summary.entriesChecked = files.count
    summary.warnings += listed.warnings + damagedDerived.values.map(\.message)
    summary.damaged += damaged.values
  }

  /// - Parameters:
  ///   - md5: the MD5 in the manifest.
  ///   - listed: the MD5 in `checksums.md5`.
  private static func fault(
    _ outcome: PhotoOutcome, unless md5: MD5Digest?, _ listed: MD5Digest?
  ) -> String? {
    if let fault = outcome.fault(unless: md5) { return "\(fault)" }
    guard let listed, let found = outcome.content?.md5, found != listed else { return nil }
    return "its MD5 is \(found), and checksums.md5 says \(listed)"
  }
}
