import ArchiveCatalog
import FileSystem
import Foundation
import SystemPackage

/// A copy of a library that a job made, and whether it protects the library.
package struct CountedCopy: Sendable {
  /// Why a copy may not restore.
  package enum Problem: String, Sendable, Encodable {
    /// An archive of the copy was found corrupt, or a restore test failed.
    case suspect
    /// No archive of the copy exists at its path, for example because a disk is not mounted.
    case unreachable
    /// An archive changed after the backup, or one of several is missing.
    case changed
  }

  /// The name of the job.
  package let job: String
  /// What the ledger knows of the copy.
  package let copy: JobStatus.Copy
  /// Why the copy may not restore; nil if it looks restorable.
  package let problem: Problem?
  /// True if the copy depends on a file that an earlier copy depends on.
  package let isShared: Bool
  /// The number of photos of the library that were added after the copy was made; nil if it is unknown.
  package let photosAdded: Int?

  /// When the archives were verified; nil if they changed since.
  package var verifiedAt: Int64? { problem == .changed || problem == .suspect ? nil : copy.verifiedAt }

  /// True if the copy can restore the entire library as it was when the copy was made.
  package var isComplete: Bool {
    problem == nil && copy.isSelection != true && copy.missingPhotos == nil && !isShared
  }
}

extension CountedCopy {
  /// Describes the copies of jobs. Blocks; reads no archive.
  ///
  /// - Parameter photosAdded: returns the number of photos that were added after a copy was made.
  static func all(
    of jobs: [JobStatus], photosAdded: (JobStatus.Copy) throws -> Int?
  ) rethrows -> [CountedCopy] {
    var seen: Set<FileStatus.Identity> = []
    return try jobs.flatMap { job in
      try job.copies.map { copy in
        let paths = copy.archives.map { FilePath($0) }
        let isAway = !copy.archives.contains(where: FileManager.default.fileExists)
        let problem: Problem? =
          copy.looksRestorable ? nil : copy.isSuspect ? .suspect : isAway ? .unreachable : .changed
        let files = paths.compactMap { try? File.open($0, .readFollowingLinks).status().identity }
        let isShared = !seen.isDisjoint(with: files)
        if problem == nil, copy.isSelection != true, copy.missingPhotos == nil { seen.formUnion(files) }
        return CountedCopy(
          job: job.job, copy: copy, problem: problem, isShared: isShared, photosAdded: try photosAdded(copy))
      }
    }
  }
}
