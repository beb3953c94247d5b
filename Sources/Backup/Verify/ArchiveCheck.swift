import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Synchronization
import SystemPackage
import Zip

/// What a check found.
public struct CheckSummary: Sendable {
  /// Entries of archives, or photos of a library, that were read to their end.
  public var entriesChecked = 0
  /// What is not as it was written; each by name, with the reason.
  public var damaged: [Finding] = []
  /// Files that nothing mentions.
  public var strangers: [String] = []
  /// What was lost before, and is no damage of what was checked.
  public var warnings: [String] = []
  /// Backups that could not be read at all, of several; each with the reason.
  public var unreadable: [Unreadable] = []

  /// A backup that could not be read at all.
  public struct Unreadable: Sendable {
    /// The backup.
    public var path: FilePath
    /// Why.
    public var error: any Error
  }

  /// Adds what another check found.
  static func += (sum: inout CheckSummary, other: CheckSummary) {
    sum.entriesChecked += other.entriesChecked
    sum.damaged += other.damaged
    sum.strangers += other.strangers
    sum.warnings += other.warnings
    sum.unreadable += other.unreadable
  }
}

/// Reads every entry of a backup to its end: CRC by libzip, MD5 against the manifest.
struct ArchiveCheck {
  let source: BackupSource
  let counter: ProgressCounter

  /// Blocks; reads only.
  func run() throws -> CheckSummary {
    var summary = CheckSummary()
    summary.strangers = source.strangers.map(\.escaped)
    // the archive is as it was written
    summary.warnings = source.warnings + source.damagedBefore.map(\.message)
    guard source.format == .zip else {
      summary.warnings.append("a JSON backup holds no photo files; its document alone was checked")
      return summary
    }
    for photo in source.photos {
      guard case .absent(let reason, let isDamage, _) = photo.content else { continue }
      let finding = Finding(source.label(of: photo), reason)
      if isDamage { summary.damaged.append(finding) } else { summary.warnings.append(finding.message) }
    }
    guard let archive = source.archive else { return summary }

    var photos: [Int: BackupSource.Photo] = [:]
    for photo in source.photos {
      if case .entry(let entry, _) = photo.content { photos[entry.index] = photo }
    }
    let entries = archive.entries.filter { !$0.isDirectory }
    let damaged = Mutex<[Int: String]>([:])
    let listed = try ChecksumList(of: source)
    let (source, counter, photoOfEntry) = (source, counter, photos)
    try Workers.forEach(0..<entries.count, context: { try source.entryReader(archive) }) { index, reader in
      let entry = entries[index]
      let photo = photoOfEntry[entry.index]
      var counted = 0
      do {
        var hash = RunningMD5()
        try reader.read(entry) { bytes in
          try counter.checkCancellation()
          hash.update(bytes)
          if photo != nil {
            counter.advance(bytes: bytes.count)
            counted += bytes.count
          }
        }
        if let expected = photo?.content.md5, hash.digest != expected {
          damaged.withLock { $0[index] = "its MD5 is \(hash.digest) and should be \(expected)" }
        } else if let expected = listed[entry], hash.digest != expected {
          damaged.withLock { $0[index] = "its MD5 is \(hash.digest), and checksums.md5 says \(expected)" }
        }
      } catch let error as ArchiveError {
        guard let reason = error.faultOfOneEntry else { throw error }
        damaged.withLock { $0[index] = reason }
      }
      if photo != nil {
        counter.advance(items: 1, bytes: entry.size - counted, current: photo?.record.name)
      }
    }
    summary.entriesChecked = entries.count
    summary.warnings += listed.warnings
    for (index, reason) in damaged.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      let entry = entries[index]
      let name = photos[entry.index].map(source.label) ?? entry.name.escaped
      summary.damaged.append(Finding(name, reason))
    }
    return summary
  }
}
