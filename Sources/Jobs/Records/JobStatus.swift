import ArchiveCatalog
import FileSystem
import Foundation
import SystemPackage

/// The status of a job: its last run, its last complete run, and its copies. The status file contains the
/// status as JSON, with keys in snake case and times in milliseconds since 1970.
package struct JobStatus: Sendable, Equatable, Encodable {
  /// The job's name.
  package var job: String
  /// The folder of the library that was last backed up; before the first backup, the folder of the job's library.
  package var library = ""
  /// The ID of that library; nil if unknown.
  package var libraryID: String?
  /// The last run. A run that is under way has no end.
  package var run: RunRecord?
  /// The last complete run, even if the run found no changes.
  var lastSuccess: RunRecord?
  /// The number of runs since the last complete run, including runs that could not begin.
  package var failures = 0
  /// The newest copy at each destination.
  package var copies: [Copy] = []
  /// The last restore test.
  package var lastRestoreTest: RestoreTestRecord?
  /// Why the last restore test ended without a result, for example because of a wrong password; nil if it has one.
  var restoreTestFailure: String?
  /// When a restore test last passed at every destination.
  var lastPassedTestAt: Timestamp?
  /// The last restore test at each destination; destinations that were never tested are left out.
  package var restoreTests: [DestinationTestRecord] = []

  /// Returns true if the status describes this library: the IDs are equal or, if one ID is missing, the
  /// folders are the same under any name. A status without a backup matches every library. Blocks.
  func isOf(library path: FilePath, id: String?) -> Bool {
    libraryID == nil && lastSuccess == nil && copies.isEmpty
      || LibraryIdentity(path: FilePath(library), id: libraryID)
        .isSame(as: LibraryIdentity(path: path, id: id))
  }

  /// Returns true if the library of the status is in this folder. Blocks.
  package func isIn(folder: FilePath) -> Bool { FilePath(library).isSamePlace(as: folder) }

  /// The outcome of a run.
  package typealias Outcome = LedgerRun.Outcome

  /// The record of one run.
  package struct RunRecord: Sendable, Equatable, Codable {
    /// The outcome of the run.
    package var outcome = Outcome.running
    /// When the run began.
    package var startedAt: Timestamp
    /// When the phases of the run ended; hooks may follow.
    package var finishedAt: Timestamp?
    /// When the schedule starts the next run; nil for a job without a schedule.
    var nextRunAt: Timestamp?
    /// The exit code of this run.
    package var exitCode: Int32?
    /// The hook that runs at the end. For a killed run, the hook that was running.
    package var hook: String?
    /// Why the run failed or is incomplete, in one line.
    package var message: String?
    /// The archives with the current content of the library, at the first destination that has any.
    package var archives: [String] = []
    /// The number of selected photos.
    package var photos = 0
    /// The size of the selected photos in bytes.
    package var bytes = 0
    /// The size of the written archives in bytes.
    package var archiveBytes = 0
    /// The photos that are missing from the archives or damaged in them, one message each.
    package var missing: [String] = []
    /// What the run imported from the inboxes of the job; nil if the job has none.
    package var inbox: InboxRecord?
    /// Other issues.
    package var warnings: [String] = []
    /// The results at each destination.
    package var destinations: [DestinationRecord] = []
  }

  /// The result of a run at a destination.
  package struct DestinationRecord: Sendable, Equatable, Codable {
    /// The path of the folder.
    package var path: String
    /// The archives with the current content of the library; empty if the run failed here.
    package var archives: [String] = []
    /// True if this run wrote the archives.
    package var isNew = false
    /// The archives that retention removed.
    package var removed: [String] = []
    /// Why the destination failed.
    package var failure: String?
    /// The bytes of the file system that were free for this user; nil if the destination failed.
    package var freeBytes: Int?
  }

  /// What a run imported from the inboxes of its job. Imports of `smilepile inbox` are not counted.
  package struct InboxRecord: Sendable, Equatable, Codable {
    /// The number of imported backups.
    package var backups = 0
    /// The number of photos that they added to the library.
    package var photos = 0
    /// The number of backups that cannot be imported, or are damaged.
    package var unreadable = 0
    /// The backups that were deleted, since a verified archive contains their photos.
    package var deleted: [String] = []
  }

  /// The record of a restore test.
  package struct RestoreTestRecord: Sendable, Equatable, Codable {
    /// When the test ended.
    package var at: Timestamp
    /// True if every tested photo was restored as in the library, and no photo is missing from both the
    /// archive and the library.
    package var hasPassed: Bool
    /// The archive that was restored; of several, the one that failed or is missing; the folder if there is no archive.
    package var archive: String
    /// The number of restored photos.
    package var photos: Int
    /// The number of the library's photos that were missing or corrupt at the last comparison; nil if there were none.
    package var damaged: Int?
    /// The number of restore tests so far, by which the sample rotates.
    package var round: Int
    /// The path of the report.
    package var report: String?
  }
}

// MARK: Files

extension JobStatus {
  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  /// Returns the JSON of the status file.
  package func json() throws -> [UInt8] {
    let text = String(decoding: try Self.encoder.encode(self), as: UTF8.self)
    return Array((text.escapedJSON + "\n").utf8)
  }
}
