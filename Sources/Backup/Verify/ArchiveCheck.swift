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
    guard let archive = source.archive else { return summary }

    let check = try EntryCheck(source, archive, counter, whenDamaged)
    try check.run(Readers(readers, on: archive.status.identity))
    summary.entriesChecked = check.files.count
    summary.warnings += check.listed.warnings + check.damagedDerived.map(\.message)
    summary.damaged += check.damaged
    return summary
  }
}

/// Reads and checks the entries of an archive on several threads.
private final class EntryCheck: Sendable {
  /// The indices of the entries that are not folders.
  let files: [Int]
  let listed: ChecksumList
  private let source: OpenedBackup
  private let archive: Archive
  private let counter: ProgressCounter
  /// For each entry, the index of its photo.
  private let photos: [Int?]
  /// The faults of the files, in the archive's order.
  private let faults: OrderedResults<Finding>
  /// The faults of the files that were made from the photos.
  private let derivedFaults = OrderedResults<Finding>()

  init(
    _ source: OpenedBackup, _ archive: Archive, _ counter: ProgressCounter,
    _ whenDamaged: @escaping @Sendable (Finding) -> Void
  ) throws {
    faults = OrderedResults(whenFound: whenDamaged)
    var photos = [Int?](repeating: nil, count: archive.entries.count)
    for (index, photo) in source.photos.enumerated() {
      if let entry = photo.location.ownEntry?.entry { photos[entry.index] = index }
    }
    self.photos = photos
    self.source = source
    self.archive = archive
    self.counter = counter
    files = archive.entries.indices.filter { !archive.entries[$0].isDirectory }
    listed = try ChecksumList(of: source)
  }

  private func photo(of entry: Entry) -> OpenedBackup.Photo? { photos[entry.index].map { source.photos[$0] } }

  func run(_ readers: Readers) throws {
    let (source, archive) = (source, archive)
    try ParallelHashing.read(0..<files.count, readers, context: { try source.entryReader(archive) }) {
      index, reader in
      let entry = archive.entries[self.files[index]]
      let passing = Passing(entry, at: index, of: self)
      if let plain = try PlainEntry(entry, of: archive) {
        passing.plain = plain
        return passing
      }
      var hash = RunningMD5()
      do {
        try reader.read(entry) { bytes in
          try passing.count(bytes.count)
          hash.update(bytes)
        }
        passing.finish(hash.digest)
      } catch {
        try passing.fail(error)
      }
      return nil
    }
  }

  /// The damaged entries, in the archive's order.
  var damaged: [Finding] { faults.values }

  /// The damaged entries that were made from the photos. The backup is intact without them.
  var damagedDerived: [Finding] { derivedFaults.values }

  /// Hashes one entry and compares its checksums.
  private final class Passing: HashableStream {
    var plain: PlainEntry?
    private let check: EntryCheck
    private let entry: Entry
    /// The index in `files`.
    private let index: Int
    private let photo: OpenedBackup.Photo?
    private var counted = 0

    init(_ entry: Entry, at index: Int, of check: EntryCheck) {
      (self.entry, self.index) = (entry, index)
      self.check = check
      photo = check.photo(of: entry)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      let bytes = try plain?.read(into: buffer) ?? 0
      try count(bytes)
      return bytes
    }

    func count(_ bytes: Int) throws {
      try check.counter.checkCancellation()
      guard photo != nil else { return }
      check.counter.advance(bytes: bytes)
      counted += bytes
    }

    func finish(_ digest: MD5Digest) {
      if let expected = photo?.location.md5, digest != expected {
        end("its MD5 is \(digest) and should be \(expected)")
      } else if let expected = check.listed[entry], digest != expected {
        end("its MD5 is \(digest), and checksums.md5 says \(expected)")
      } else {
        end(nil)
      }
    }

    /// Records an error that concerns only this entry, and throws any other error.
    func fail(_ error: any Error) throws {
      guard let reason = (error as? ArchiveError)?.faultOfOneEntry else { throw error }
      end(reason)
    }

    private func end(_ fault: String?) {
      let item = photo.map(check.source.label) ?? .entry(entry.name.escaped)
      let isDerived = photo == nil && entry.isDerived
      check.faults.add(isDerived ? nil : fault.map { Finding(item, $0) }, at: index)
      check.derivedFaults.add(
        isDerived ? fault.map { Finding(item, "\($0); an import does not use it") } : nil,
        at: index)
      guard let photo else { return }
      check.counter.advance(items: 1, bytes: entry.size - counted, current: photo.record.name)
    }
  }
}
