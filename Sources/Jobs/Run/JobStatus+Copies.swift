import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import SystemPackage

extension JobStatus {
  /// The newest copy of the library at a destination: an archive and all other archives that a restore needs.
  package struct Copy: Sendable, Equatable, Codable {
    /// The path of the folder.
    package var path: String
    /// The path of the newest archive in the folder.
    package var archive: String
    /// The paths of the other archives that a restore needs: the other parts of the set, or the chain.
    package var others: [String]?
    /// When the archive was made, in milliseconds since 1970.
    package var madeAt: Int64
    /// The place of the archive among the exports of the library; nil in archives of older versions.
    package var sequence: Int64?
    /// When all archives of the copy were last verified; nil if one is unverified or suspect.
    package var verifiedAt: Int64?
    /// Since when an archive of the copy is suspect; nil if none is suspect.
    package var suspectSince: Int64?
    /// Why the archive is suspect.
    package var suspectReason: String?
    /// True if archives of the copy, or the folder, were missing at the end of the last run or restore test, or are
    /// missing now, for example because the disk is not mounted.
    package var isOutOfReach: Bool?
    /// True if archives of the copy are missing, although their folder and disk can be read; false if the folder or
    /// disk cannot be read, or could not at the end of the last run or restore test; nil if the archives exist, or if it
    /// is unknown whether their disk is mounted.
    package var isMissing: Bool?
    /// Where the file system of the folder was mounted when a run found the copy; nil in records of older versions.
    package var mountPoint: String?
    /// True if the copy is on the library's own device, and is lost with the library.
    package var isOnSameDevice: Bool
    /// True if the copy is on a file system in memory, and is lost when the machine is switched off; nil otherwise.
    package var isInMemory: Bool?
    /// True if the copy contains a selection, not the entire library.
    package var isSelection: Bool?
    /// The number of the library's photos that are missing from the copy or damaged in it; nil if there are none.
    package var missingPhotos: Int?
    /// The files of the archives when a run found the copy.
    package var files: [ArchiveFile]

    /// Tells which of two copies is newer.
    var place: Int64 { sequence ?? madeAt }

    /// The paths of all archives that a restore needs.
    package var archives: [String] { [archive] + (others ?? []) }

    /// True if an archive of the copy was found damaged and was not verified since.
    package var isSuspect: Bool { suspectSince != nil }

    /// True if a restore probably works, without reading the archives: their files exist, are not suspect, and are
    /// unchanged since a run found the copy, or were verified after a change that kept their size and date. Blocks.
    package var looksRestorable: Bool {
      suspectSince == nil
        && (areFilesUnchanged || verifiedAt != nil && hasSizesAndDates)
    }

    /// True if the sizes and dates of the files are unchanged since a run found the copy. Blocks.
    var hasSizesAndDates: Bool { areFiles { $0.hasSizeAndDate(of: $1) } }

    /// True if the files are unchanged since a run found the copy. Blocks.
    var areFilesUnchanged: Bool { areFiles { $0.isSameVersion(as: $1) } }

    /// Returns true if each file, as a run found it, meets a condition with its present state. Blocks.
    private func areFiles(_ condition: (_ found: ArchiveFile, _ now: ArchiveFile) -> Bool) -> Bool {
      zip(archives, files).allSatisfy { path, file in
        ArchiveFile(at: FilePath(path)).map { condition(file, $0) } ?? false
      }
    }

    /// Sets where the copy is, seen from a folder of the library: a person may have moved the library since a run found the
    /// copy. Changes nothing if the library or archives of the copy are unreachable. Blocks.
    mutating func locate(from library: FilePath) {
      guard library.realPath != nil, archives.allSatisfy(FileManager.default.fileExists) else { return }
      let weakness = JobDestination(path: FilePath(path)).weakness(for: library)
      isOnSameDevice = weakness?.isOnSameDevice ?? false
      isInMemory = weakness?.isInMemory == true ? true : nil
    }

    /// Sets the health and the reachability of the copy from the ledger. Unreachable archives have the health
    /// of their last known files. Blocks.
    ///
    /// - Parameter run: the last run that reached the copy. A later run may have found the folder missing.
    mutating func describe(by ledger: Ledger, reachedBy run: LedgerPosition?) {
      (suspectSince, suspectReason) = (nil, nil)
      let current = zip(archives, files).map { ArchiveFile(at: FilePath($0)) ?? $1 }
      let health = ledger.health(of: current)
      let moments = health.compactMap(\.verifiedAt)
      verifiedAt = moments.count == files.count ? moments.min() : nil
      // the files that the run found may be suspect even if other files have replaced them
      for case .suspect(let since, let reason) in health + ledger.health(of: files)
      where suspectSince.map({ since < $0 }) ?? true {
        (suspectSince, suspectReason) = (since, reason)
      }
      let isReported = files.contains { file in
        guard let last = ledger.observations(of: file).last else { return false }
        return last.event == .unreachable && run.map { $0 < last.recorded } ?? true
      }
      let hasFiles = archives.allSatisfy(FileManager.default.fileExists)
      isOutOfReach = isReported || !hasFiles ? true : nil
      isMissing = isReported ? false : hasFiles ? nil : isDiskReadable
    }

    /// True if the folder can be read, on the file system that it was on when a run found the copy. The mount point of
    /// a disk that is not mounted is an empty folder on another file system. Nil if a run of an older version found the
    /// copy, without its mount point, and no archive of the copy is left. Blocks.
    private var isDiskReadable: Bool? {
      guard (try? FileManager.default.contentsOfDirectory(atPath: path)) != nil else { return false }
      if let mountPoint {
        return mountPoint == (try? MountTable())?.mountPoint(of: FilePath(path))?.string
      }
      return archives.contains(where: FileManager.default.fileExists) ? true : nil
    }
  }
}

extension JobStatus.Copy {
  /// Describes a copy that a run found. Blocks.
  ///
  /// - Parameters:
  ///   - members: the archives that a restore needs, the newest first.
  ///   - library: the library's folder.
  /// - Returns: nil if an archive was removed meanwhile.
  init?(_ members: [ArchiveDescriptor], at destination: JobDestination, of job: Job, _ library: FilePath) {
    let archive = members[0]
    let files = members.compactMap { ArchiveFile(at: FilePath($0.path)) }
    guard files.count == members.count else { return nil }
    let count = (archive.part == nil ? [archive] : members).reduce(0) { $0 + $1.missingPhotos.count }
    path = destination.path.string
    self.archive = archive.path
    others = members.dropFirst().map(\.path)
    (madeAt, sequence) = (archive.date, archive.sequence)
    let weakness = destination.weakness(for: library)
    isOnSameDevice = weakness?.isOnSameDevice ?? false
    isInMemory = weakness?.isInMemory == true ? true : nil
    mountPoint = (try? MountTable())?.mountPoint(of: destination.path)?.string
    missingPhotos = count > 0 ? count : nil
    self.files = files
    // each part of a set has `isPartial`
    isSelection =
      archive.selection != nil && archive.isPartial
      && (archive.part == nil || job.exportOptions.selectsSomePhotos)
  }

  /// The entry of the copy in the ledger.
  var entry: LedgerCopy { LedgerCopy(destination: path, record: JobStatus.encoded(self)) }
}
