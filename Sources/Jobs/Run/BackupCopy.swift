import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import SystemPackage

extension JobStatus {
  /// The newest copy of the library at a destination: an archive, with what restoring it takes.
  package struct Copy: Sendable, Equatable, Codable {
    /// The folder.
    package var path: String
    /// The newest archive in it.
    package var archive: String
    /// What restoring takes besides: the other parts of its set, or its chain.
    package var others: [String]?
    /// When the archive was made, in milliseconds since 1970.
    package var madeAt: Int64
    /// When all its archives were last verified; nil if one is unverified or suspect.
    package var verifiedAt: Int64?
    /// Since when one of its archives is suspect; nil if none is.
    package var suspectSince: Int64?
    /// Why it is suspect.
    package var suspectReason: String?
    /// True if its archives, or its folder, are missing, for example because the disk is not mounted.
    package var isOutOfReach: Bool?
    /// True if it is on the library's own device, or in memory, and is lost with it.
    package var isOnSameDevice: Bool
    /// True if it holds a selection, so that it is no copy of the whole library.
    package var isSelection: Bool?
    /// The number of the library's photos that it does not hold, or holds damaged; nil if there are none.
    package var missingPhotos: Int?
    /// Its files as they were when a run found it.
    package var files: [ArchiveFile]

    /// What restoring takes, by path.
    package var archives: [String] { [archive] + (others ?? []) }

    /// True if one of its archives was found damaged and not verified since.
    package var isSuspect: Bool { suspectSince != nil }

    /// Returns whether it can be restored, as far as one can tell without reading it: its archives are present, as the run
    /// found them, and none is suspect. Blocks.
    package var isThere: Bool {
      suspectSince == nil && isOutOfReach != true && areFilesUnchanged
    }

    /// Returns whether its files are as a run found them. Blocks.
    var areFilesUnchanged: Bool {
      zip(archives, files).allSatisfy { path, file in
        ArchiveFile(at: FilePath(path)).map(file.isSameVersion) ?? false
      }
    }

    /// Fills in what the ledger says about the archives as they are now, or as they were when they can no longer be
    /// reached, and whether they can be. Blocks.
    ///
    /// - Parameter run: the last run that reached the copy; a run after it may have found its folder missing.
    mutating func describe(by ledger: Ledger, reachedBy run: LedgerPosition?) {
      (suspectSince, suspectReason) = (nil, nil)
      let current = zip(archives, files).map { ArchiveFile(at: FilePath($0)) ?? $1 }
      let health = ledger.health(of: current)
      let moments = health.compactMap(\.verifiedAt)
      verifiedAt = moments.count == files.count ? moments.min() : nil
      // what a run found may be suspect, though another file has taken its place
      for case .suspect(let since, let reason) in health + ledger.health(of: files)
      where suspectSince.map({ since < $0 }) ?? true {
        (suspectSince, suspectReason) = (since, reason)
      }
      let isReported = files.contains { file in
        guard let last = ledger.observations(of: file).last else { return false }
        return last.event == .unreachable && run.map { $0 < last.recorded } ?? true
      }
      isOutOfReach = isReported || !archives.allSatisfy(FileManager.default.fileExists) ? true : nil
    }
  }
}

extension JobStatus.Copy {
  /// Describes a copy that a run found. Blocks.
  ///
  /// - Parameters:
  ///   - members: what restoring takes, the newest archive first.
  ///   - library: the library's folder.
  /// - Returns: nil if one of them was removed meanwhile.
  init?(_ members: [ArchiveDescriptor], at destination: JobDestination, of job: Job, _ library: FilePath) {
    let archive = members[0]
    let files = members.compactMap { ArchiveFile(at: FilePath($0.path)) }
    guard files.count == members.count else { return nil }
    let count = (archive.part == nil ? [archive] : members).reduce(0) { $0 + $1.missingPhotos.count }
    path = destination.path.string
    self.archive = archive.path
    others = members.dropFirst().map(\.path)
    madeAt = archive.date
    isOnSameDevice = destination.weakness(for: library) != nil
    missingPhotos = count > 0 ? count : nil
    self.files = files
    // each part of a set is partial
    isSelection =
      archive.selection != nil && archive.isPartial
      && (archive.part == nil || job.exportOptions.isSelection)
  }

  /// How the ledger keeps it.
  var entry: CopyEntry { CopyEntry(destination: path, record: JobStatus.encoded(self)) }
}
