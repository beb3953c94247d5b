import Backup
import FileSystem
import Foundation
import SystemPackage

extension JobStatus {
  /// A whole copy of the library in a state that it had.
  public struct Copy: Sendable, Equatable, Codable {
    /// The folder.
    public var path: String
    /// The newest archive in it.
    public var archive: String
    /// What restoring takes besides: the other parts of its set, or what it rests on.
    public var others: [String]?
    /// When that was made.
    public var madeAt: Int64
    /// When it was last read back whole.
    public var verifiedAt: Int64?
    /// A drill could not restore it, or a run found it damaged, and it was not read back whole since.
    public var isDoubted: Bool?
    /// When that was; not known of what an earlier version has noted.
    public var doubtedAt: Int64?
    /// Its archives were not there when the last run or drill ended: they, or their folder, are gone, or the disk is not
    /// mounted.
    public var isOutOfReach: Bool?
    /// It lies on the library's own device, or in memory, and goes with it.
    public var isOnSameDevice: Bool
    /// It holds a selection, and is no copy of the whole library.
    public var isSelection: Bool?
    /// Photos of its library that it has not, or not as they should be; left out if there are none.
    public var lacking: Int?
    /// Its files as they were then; not known of what an earlier version has noted.
    public var files: [CopiedFile]?

    /// What restoring takes, by path.
    public var archives: [String] { [archive] + (others ?? []) }

    /// Whether it can be restored, as far as one can tell without reading it: its archives are there, and nobody has
    /// changed them, or found anything wrong with them. Blocks.
    public var isThere: Bool {
      guard isDoubted != true, isOutOfReach != true else { return false }
      return archives.allSatisfy { path in
        guard let now = CopiedFile(at: path) else { return false }
        return files?.first { $0.path == path }?.isAs(now) ?? true
      }
    }

    /// Notes that all its archives were read back whole, which ends a doubt that is older.
    public mutating func note(verifiedAt moment: Int64) {
      verifiedAt = max(moment, verifiedAt ?? .min)
      if let doubtedAt, doubtedAt < moment { (isDoubted, self.doubtedAt) = (nil, nil) }
    }

    /// Notes what is known of the same archives from before.
    mutating func noteReadingBack(of old: Self) {
      if let moment = old.verifiedAt, old.archive == archive, old.files == files { note(verifiedAt: moment) }
    }

    /// Notes whether its archives are there. Blocks.
    mutating func noteReach() {
      isOutOfReach = archives.allSatisfy(FileManager.default.fileExists) ? nil : true
    }

    /// Notes that something was found wrong with it.
    mutating func doubt(since moment: Int64) {
      (isDoubted, doubtedAt, verifiedAt) = (true, moment, nil)
    }
  }

  /// An archive of a copy, by what changes with its bytes.
  public struct CopiedFile: Sendable, Equatable, Codable {
    /// Where it lies.
    public var path: String
    /// Its length.
    public var bytes: Int
    /// Its date.
    public var modifiedAt: Int64

    /// Makes a value of these parts.
    public init(path: String, bytes: Int, modifiedAt: Int64) {
      (self.path, self.bytes, self.modifiedAt) = (path, bytes, modifiedAt)
    }

    /// Whether a file is still as it was. FAT keeps local time in steps of two seconds, to which a date is rounded when the
    /// disk is mounted again; where the clock's zone was changed its dates are other ones, by whole quarters of an hour.
    func isAs(_ now: CopiedFile) -> Bool {
      guard bytes == now.bytes else { return false }
      if modifiedAt == now.modifiedAt { return true }
      guard now.modifiedAt % 2000 == 0 else { return false }
      let seconds = abs(Double(modifiedAt) - Double(now.modifiedAt)) / 1000
      let rest = abs(seconds - (seconds / 900).rounded() * 900)
      return seconds < 27 * 3600 && rest <= 2
    }

    /// A file as it is now; nil if it is not there, or cannot be looked at. Blocks.
    init?(at path: String) {
      guard let status = try? File.open(FilePath(path), .readFollowingLinks).status() else { return nil }
      self.init(path: path, bytes: status.size, modifiedAt: status.modified)
    }
  }
}

extension JobStatus.Copy {
  /// What is to be known of a copy. Blocks.
  ///
  /// - Parameters:
  ///   - members: what restoring takes, the newest archive first.
  ///   - library: the library's folder.
  init(
    _ members: [ArchiveRecord], at destination: JobDestination, of job: Job, _ library: FilePath,
    _ cache: CatalogCache?
  ) {
    let archive = members[0]
    path = destination.path.string
    self.archive = archive.path
    others = members.dropFirst().map(\.path)
    madeAt = archive.date
    let moments = members.map { cache?.verifiedAt($0) ?? .min }
    verifiedAt = moments.min().flatMap { $0 == .min ? nil : $0 }
    isOnSameDevice = destination.weakness(for: library) != nil
    let count = (archive.part == nil ? [archive] : members).reduce(0) { $0 + $1.lacking.count }
    lacking = count > 0 ? count : nil
    files = members.compactMap { JobStatus.CopiedFile(at: $0.path) }
    // each part of a set is partial
    isSelection =
      archive.selection != nil && archive.isPartial
      && (archive.part == nil || job.exportOptions.isSelection)
  }
}

// MARK: After a backup

extension JobStatus {
  /// Notes what lies at the destinations that could be looked at; what is known of the others ages.
  mutating func note(copiesFound backup: JobBackup, from start: Int64, to end: Int64) {
    // a drill may have learnt something of any of them meanwhile
    let known = copies
    copies = backup.job.destinations.map(\.path.string).compactMap { path in
      let old = known.first { $0.path == path }
      guard let found = backup.copies.first(where: { $0.path == path }) else {
        return old?.aged(backup, end)
      }
      return old.map { found.knowing($0, since: start) } ?? found
    }
  }
}

extension JobStatus.Copy {
  /// What is still known of it after a run that did not get to look at it.
  fileprivate func aged(_ backup: JobBackup, _ end: Int64) -> Self {
    var copy = self
    copy.noteReach()
    if backup.outOfReach.contains(path) { copy.isOutOfReach = true }
    if archives.contains(where: backup.readBack.damaged.contains) { copy.doubt(since: end) }
    return copy
  }

  /// The same with what a drill has found meanwhile.
  fileprivate func knowing(_ old: Self, since start: Int64) -> Self {
    var copy = self
    if let doubtedAt = old.doubtedAt, doubtedAt >= start, archives.contains(where: old.archives.contains) {
      copy.doubt(since: doubtedAt)
    } else {
      copy.noteReadingBack(of: old)
    }
    return copy
  }
}
