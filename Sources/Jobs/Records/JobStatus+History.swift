import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import SystemPackage

/// The details of a backup, in the column `record` of the ledger.
struct BackupDetails: Codable {
  /// The record in the status file. The ledger stores the findings instead of their messages.
  var run: JobStatus.RunRecord
  /// The photos that are missing from the archives or damaged in them.
  var findings: [Finding] = []
}

/// The details of a restore test, in the column `record` of the ledger.
struct RestoreTestDetails: Codable {
  var test: JobStatus.RestoreTestRecord
  /// True if at least one destination restored every tested photo.
  var isRestoredSomewhere: Bool
  /// What is damaged in the library, then what was not restored, up to the limit.
  var findings: [Finding] = []
  /// The result at each destination that was tested.
  var destinations: [JobStatus.DestinationTestRecord]
}

extension LedgerRun {
  /// True if the run ended with archives that have the library's content at that time, even if photos are missing.
  fileprivate var isBackedUp: Bool {
    kind == .backup && [.done, .unchanged, .incomplete].contains(outcome)
  }

  /// True if the run did everything that the job requires, and every hook has ended.
  fileprivate var isCompleteWithHooks: Bool {
    kind == .backup && hook == nil && outcome.isComplete
  }

  /// True if the run may still become complete with its hooks.
  fileprivate var mayBecomeComplete: Bool { hasNoEnd && (outcome == .running || outcome.isComplete) }

  /// True if the run is of this library: the IDs are equal or, if one ID is missing, the folders are the same. Blocks.
  fileprivate func isOf(_ library: JobStatus.LibraryIdentity) -> Bool {
    JobStatus.LibraryIdentity(path: libraryPath ?? "", id: libraryID).isSame(as: library)
  }
}

extension JobStatus {
  /// A library, identified by its ID or, if the ID is unknown, by its folder.
  struct LibraryIdentity: Hashable {
    var path: FilePath
    var id: String?

    /// Returns true if the IDs are equal or, if one ID is missing, the folders are the same under any name. Blocks.
    func isSame(as other: Self) -> Bool {
      if let id, let otherID = other.id { return id == otherID }
      return path.isSamePlace(as: other.path)
    }
  }

  /// Derives the status from the runs and observations in a ledger. Blocks.
  ///
  /// - Failures are the runs that ended or were killed after the last complete run ended. The newest run does
  ///   not count while it has no end, because it may be under way.
  /// - Copies, complete runs and restore tests belong to the library that was last backed up.
  /// - A copy is the newest that any run found at a destination of the newest run. Its health is that of its archives.
  init(job: String, ledger: Ledger) {
    self.init(job: job)
    let entries = ledger.runs(of: job)
    let backups = entries.filter { $0.kind == .backup && $0.outcome != .notBegun }
    run = backups.first?.backup?.run
    let complete =
      entries.lazy.filter(\.isCompleteWithHooks).compactMap(\.endPosition).max() ?? LedgerPosition(0)
    failures = entries.count { entry in
      entry.kind == .backup && !entry.isCompleteWithHooks
        && entry.endPosition ?? entry.startPosition > complete
        && !(entry.mayBecomeComplete && entry.startPosition == backups.first?.startPosition)
    }
    guard let newest = entries.first else { return }
    let known = Self.library(of: entries) ?? LibraryIdentity(path: newest.libraryPath ?? "")
    (library, libraryID) = (known.path.string, known.id)
    let own = entries.filter { $0.isOf(known) }
    lastSuccess = own.first(where: \.isCompleteWithHooks)?.backup?.run
    let positions = Set(own.map(\.startPosition))
    let found = ledger.copies(of: job).filter { $0.run.map(positions.contains) ?? false }
    let destinations = Self.destinations(of: own)
    copies = Self.copies(found, at: destinations, ledger)
    restoreTests = Self.restoreTests(own, at: destinations)
    let tests = own.compactMap { $0.restoreTest?.test }
    lastRestoreTest = tests.first
    let newestTest = own.first { $0.kind == .restoreTest && ($0.restoreTest != nil || $0.outcome == .failed) }
    if let newestTest, newestTest.restoreTest == nil {
      let record: HistoryDetails? = Self.decoded(newestTest.record)
      restoreTestFailure = record?.message
    }
    lastPassedTestAt = tests.first(where: \.hasPassed)?.at
    if let id = known.id, ledger.photoDamage(ofLibrary: id).isEmpty { lastRestoreTest?.damaged = nil }
  }

  /// Returns the library that was last backed up, or restored from its archives. Its ID may come from any run
  /// in the same folder.
  private static func library(of entries: [LedgerRun]) -> LibraryIdentity? {
    guard
      let newest = entries.first(where: { $0.isBackedUp || $0.restoreTest?.isRestoredSomewhere == true })
    else { return nil }
    var library = LibraryIdentity(path: newest.libraryPath ?? "", id: newest.libraryID)
    library.id = library.id ?? entries.lazy.filter { $0.isOf(library) }.compactMap(\.libraryID).first
    return library
  }

  /// Returns the destinations of the newest backup.
  private static func destinations(of runs: [LedgerRun]) -> [String] {
    runs.lazy.compactMap { $0.backup?.run.destinations.map(\.path) }.first { !$0.isEmpty } ?? []
  }

  private static func copies(_ found: [LedgerCopy], at destinations: [String], _ ledger: Ledger) -> [Copy] {
    destinations.compactMap { destination in
      guard let entry = found.first(where: { $0.destination == destination }),
        let copy: CopyRecord = decoded(entry.record)
      else { return nil }
      return Copy(copy, ledger, reachedBy: entry.run)
    }
  }

  // MARK: Records

  static func encoded(_ record: some Encodable) -> Data { (try? JSONEncoder().encode(record)) ?? Data() }

  static func decoded<Record: Decodable>(_ data: Data) -> Record? {
    try? JSONDecoder().decode(Record.self, from: data)
  }
}

extension LedgerRun {
  /// The record of a backup; nil for another kind of run.
  var backup: BackupDetails? {
    guard kind == .backup, var details: BackupDetails = JobStatus.decoded(record) else { return nil }
    details.run.missing = details.findings.map(\.message)
    return details
  }

  /// The record of a restore test; nil for another kind of run, and for a test without findings.
  var restoreTest: RestoreTestDetails? { kind == .restoreTest ? JobStatus.decoded(record) : nil }
}
