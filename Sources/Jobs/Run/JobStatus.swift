import FileSystem
import Foundation
import SystemPackage

/// What is known of a job: its last run, the last one that was complete, and where its copies lie. The status file
/// holds it as JSON, keys in snake case, times in milliseconds since 1970.
package struct JobStatus: Sendable, Equatable, Codable {
  /// The job's name.
  package var job: String
  /// The folder of the library that was last backed up, before that of the one that is to be.
  package var library = ""
  /// That library's number; nil where that is not known.
  package var libraryID: String?
  /// The last run; one that is under way has no end.
  package var run: RunRecord?
  /// The last run that was complete, one that found nothing new among them.
  package var lastSuccess: RunRecord?
  /// Runs since then that were not, those that could not begin among them.
  package var failures = 0
  /// Where whole copies lie.
  package var copies: [Copy] = []
  /// The last restore that was tried.
  package var lastRestoreTest: RestoreTestRecord?
  /// When a restore was last proven.
  package var lastProvenAt: Int64?

  /// Nothing is known yet.
  package init(job: String) { self.job = job }

  /// A library was backed up, and something is known of that.
  private var isOfSomething: Bool { libraryID != nil || lastSuccess != nil || !copies.isEmpty }

  /// Whether what is known is of this library: that of its number, wherever it lies, or, where one of the two has none,
  /// that in its folder, by whatever name. Where nothing was backed up it is of any. Blocks.
  package func isOf(library path: FilePath, id: String?) -> Bool {
    if let libraryID, let id { return libraryID == id }
    return !isOfSomething || isIn(folder: path)
  }

  /// Whether the library that it is of lay in a folder. Blocks.
  package func isIn(folder: FilePath) -> Bool { FilePath(library).isSamePlace(as: folder) }

  /// How a run ended.
  package enum Outcome: String, Sendable, Codable, CaseIterable {
    /// It is under way, or was killed.
    case running
    /// Everything is in place.
    case done
    /// Nothing has changed since the last archive, which is in place.
    case unchanged
    /// Something that was asked for is absent, and named.
    case incomplete
    /// It did not get to its end, and the library is not backed up as it is; a set of archives may have been begun, which
    /// the message names then.
    case failed
    /// It was asked to stop; the archives that have their names by then are whole.
    case interrupted

    /// The library is backed up as it is.
    package var isSuccess: Bool { self == .done || self == .unchanged }
  }

  /// One run.
  package struct RunRecord: Sendable, Equatable, Codable {
    /// How it ended.
    package var outcome = Outcome.running
    /// When it began.
    package var startedAt: Int64
    /// When it ended.
    package var finishedAt: Int64?
    /// The exit code that this run alone would have.
    package var exitCode: Int32?
    /// The hook that is run at its end; of a run that was cut off, it was cut off in that.
    package var hook: String?
    /// Why it failed, or what is absent: one line.
    package var message: String?
    /// The archives that hold the library's state, at the first destination that has any.
    package var archives: [String] = []
    /// Photos of the library that was selected.
    package var photos = 0
    /// Their bytes.
    package var bytes = 0
    /// Bytes of the archives that were written.
    package var archiveBytes = 0
    /// What is not in the archive as it should be, each by name.
    package var missing: [String] = []
    /// What else is worth knowing.
    package var warnings: [String] = []
    /// What was done at each destination.
    package var destinations: [DestinationRecord] = []

    /// A run that begins.
    package init(startedAt: Int64) { self.startedAt = startedAt }
  }

  /// What a run did at a destination.
  package struct DestinationRecord: Sendable, Equatable, Codable {
    /// The folder.
    package var path: String
    /// The archives with the library's state that lie there now; empty if it failed.
    package var archives: [String] = []
    /// They were written by this run.
    package var isNew = false
    /// Archives that the retention took away.
    package var removed: [String] = []
    /// Why it failed.
    package var failure: String?

    /// A folder at which nothing was done yet.
    package init(path: String) { self.path = path }
  }

  /// A restore that was tried.
  package struct RestoreTestRecord: Sendable, Equatable, Codable {
    /// When.
    package var at: Int64
    /// Everything that was tried came back as it is in the library, and nothing was lost before.
    package var isProven: Bool
    /// The archive that was restored from, of several the one that failed, or that is gone; the folder where there is none.
    package var archive: String
    /// Photos that came back.
    package var photos: Int
    /// Photos of the library that were not there, or had other bytes than they should, when some were last compared; nil if
    /// there were none.
    package var damaged: Int?
    /// How many drills there have been, by which the sample rotates.
    package var round: Int
    /// Where the report lies.
    package var report: String?

    /// Makes a record of these parts.
    package init(
      at: Int64, isProven: Bool, archive: String, photos: Int, damaged: Int? = nil, round: Int,
      report: String?
    ) {
      self.at = at
      self.isProven = isProven
      self.archive = archive
      self.photos = photos
      self.damaged = damaged
      self.round = round
      self.report = report
    }
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

  /// The JSON of the status file.
  package func json() throws -> [UInt8] { [UInt8](try Self.encoder.encode(self)) + [UInt8(ascii: "\n")] }
}
