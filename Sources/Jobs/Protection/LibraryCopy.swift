import ArchiveCatalog
import FileSystem
import SystemPackage

/// A copy of a library that a job made, and whether it protects the library.
package struct LibraryCopy: Sendable {
  /// Why a copy may not restore.
  package enum Problem: String, Sendable, Encodable {
    /// An archive of the copy was found corrupt, or a restore test failed.
    case suspect
    /// The folder cannot be read, or another disk is mounted there than at the backup.
    case unreachable
    /// The folder can be read, and lacks archives of the copy.
    case missing
    /// An archive changed after the backup.
    case changed

    /// The problem for people.
    fileprivate var words: String {
      switch self {
      case .suspect: "suspect: found corrupt, or a restore test failed"
      case .unreachable: "unreachable: its disk is not mounted, or its folder cannot be read"
      case .missing: "missing: its folder can be read"
      case .changed: "changed after the backup"
      }
    }
  }

  /// Where a copy is.
  package enum Device: Sendable, Hashable {
    /// The copy is on the device of the library.
    case deviceOfLibrary
    /// The copy is on a file system in memory.
    case memory
    /// The copy is on another device, and a restart does not delete it.
    case anotherDevice

    /// The device for people.
    package var words: String {
      switch self {
      case .deviceOfLibrary: "on the device of the library: lost with it"
      case .memory: "in memory: lost when the machine is switched off"
      case .anotherDevice: "on another device"
      }
    }
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
  /// The last restore test at the destination of the copy; nil if there was none.
  package var test: JobStatus.DestinationTestRecord?

  /// The state of the copy for people.
  package var state: String {
    if let problem { return problem.words }
    if copy.isSelection { return "a selection of the library" }
    if copy.missingPhotos > 0 {
      return "\(Count(copy.missingPhotos, "photo is", "photos are").grouped) missing or corrupt"
    }
    if isShared { return "not counted: shares a file with a copy above" }
    return switch photosAdded {
    case 0?: "complete"
    case let added?:
      "complete, except \(Count(added, "photo that was", "photos that were").grouped) added since"
    case nil: "complete when it was made"
    }
  }

  /// When the archives were verified; nil if they changed since, or are missing or suspect.
  package var verifiedAt: Timestamp? {
    switch problem {
    case .changed?, .suspect?, .missing?: nil
    case .unreachable?, nil: copy.health.verifiedAt
    }
  }

  /// True if the copy had every photo of the library when the copy was made.
  var hasAllPhotos: Bool { !copy.isSelection && copy.missingPhotos == 0 }

  /// True if the copy can restore the entire library as it was when the copy was made.
  var isComplete: Bool { problem == nil && hasAllPhotos && !isShared }

  /// Where the copy is.
  package var device: Device {
    copy.isInMemory ? .memory : copy.isOnSameDevice ? .deviceOfLibrary : .anotherDevice
  }

  /// True if the copy can restore the entire library after the loss of its device.
  package var isProtecting: Bool { isComplete && device == .anotherDevice }

  /// When a restore test at the destination last passed; nil if the last test found that the archives do not restore.
  var testedAt: Timestamp? {
    switch test?.outcome {
    case .failed?, .missing?: nil
    case .passed?, .incomplete?, .unreachable?, nil: test?.lastPassedAt
    }
  }
}

extension LibraryCopy {
  /// Describes the copies of jobs. Blocks; reads no archive.
  ///
  /// - Parameters:
  ///   - library: the library's folder.
  ///   - photosAdded: returns the number of photos that were added after a copy was made.
  static func all(
    of jobs: [JobStatus], in library: FilePath, photosAdded: (JobStatus.Copy) throws -> Int?
  ) rethrows -> [LibraryCopy] {
    var seen: Set<FileStatus.Identity> = []
    return try jobs.flatMap { job in
      try job.copies.map { copy in
        var copy = copy
        copy.found.locate(from: library)
        let paths = copy.archives.map { FilePath($0) }
        let problem = problem(of: copy)
        let files = paths.compactMap { try? File.open($0, .readFollowingLinks).status().identity }
        let isShared = !seen.isDisjoint(with: files)
        let counted = LibraryCopy(
          job: job.job, copy: copy, problem: problem, isShared: isShared, photosAdded: try photosAdded(copy),
          test: job.restoreTests.first { $0.path == copy.path })
        if counted.problem == nil, counted.hasAllPhotos { seen.formUnion(files) }
        return counted
      }
    }
  }

  /// Returns why a copy may not restore. Blocks.
  private static func problem(of copy: JobStatus.Copy) -> Problem? {
    if copy.looksRestorable { return nil }
    guard copy.exists else { return copy.reachability == .missing ? .missing : .unreachable }
    return copy.health.isSuspect ? .suspect : .changed
  }
}
