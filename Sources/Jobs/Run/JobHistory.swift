import ArchiveCatalog
import FileSystem
import Foundation
import SystemPackage

/// The record of a backup in the ledger, besides the columns.
struct BackupRecord: Codable {
  var run: JobStatus.RunRecord
  /// True if every photo of the library was read and is intact.
  var isLibraryIntact = false
}

/// The record of a restore test in the ledger, besides the columns.
struct RestoreTestEntry: Codable {
  var test: JobStatus.RestoreTestRecord
  /// True if a destination restored every tested photo.
  var isRestored: Bool
}

extension RunEntry {
  /// The outcome of a backup that could not begin, for example because another run held the lock.
  static let notBegun = "notBegun"

  /// Creates the entry of a backup.
  init(_ run: JobStatus.RunRecord, of job: String, library: FilePath) {
    self.init(
      .backup, job: job, libraryPath: library.string, startedAt: run.startedAt,
      outcome: run.outcome.rawValue, record: JobStatus.encoded(BackupRecord(run: run)))
  }

  fileprivate var isBackedUp: Bool {
    kind == .backup && [.done, .unchanged, .incomplete].contains(JobStatus.Outcome(rawValue: outcome))
  }

  /// True if the current state of the library is backed up and every hook has ended.
  fileprivate var isComplete: Bool {
    kind == .backup && hook == nil && JobStatus.Outcome(rawValue: outcome)?.isSuccess == true
  }

  /// True if the run is under way, or was killed before it could record its end.
  fileprivate var hasNoEnd: Bool {
    outcome == JobStatus.Outcome.running.rawValue
      || hook != nil && JobStatus.Outcome(rawValue: outcome)?.isSuccess == true
  }

  /// True if the run is of this library: the IDs are equal or, if one ID is missing, the folders are the same. Blocks.
  fileprivate func isOf(_ library: JobStatus.LibraryIdentity) -> Bool {
    JobStatus.LibraryIdentity(path: libraryPath, id: libraryID) == library
  }
}

extension JobStatus {
  /// A library, identified by its ID or, if the ID is unknown, by its folder.
  struct LibraryIdentity: Equatable {
    var path: String
    var id: String?

    static func == (one: Self, other: Self) -> Bool {
      if let id = one.id, let otherID = other.id { return id == otherID }
      return FilePath(one.path).isSamePlace(as: FilePath(other.path))
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
    let backups = entries.filter { $0.kind == .backup && $0.outcome != RunEntry.notBegun }
    run = backups.first?.backup?.run
    let complete = entries.lazy.filter(\.isComplete).compactMap(\.ended).max() ?? LedgerPosition(0)
    failures = entries.count { entry in
      entry.kind == .backup && !entry.isComplete && entry.ended ?? entry.begun > complete
        && !(entry.hasNoEnd && entry.begun == backups.first?.begun)
    }
    guard let newest = entries.first else { return }
    let known = Self.library(of: entries) ?? LibraryIdentity(path: newest.libraryPath)
    (library, libraryID) = (known.path, known.id)
    let own = entries.filter { $0.isOf(known) }
    lastSuccess = own.first(where: \.isComplete)?.backup?.run
    copies = Self.copies(of: own, job, ledger)
    let tests = own.compactMap { entry in entry.restoreTest.map { (ended: entry.ended, record: $0.test) } }
    lastRestoreTest = tests.first?.record
    lastProvenAt = tests.first(where: \.record.isProven)?.record.at
    if let test = tests.first?.ended,
      own.contains(where: { $0.begun > test && $0.backup?.isLibraryIntact == true })
    {
      lastRestoreTest?.damaged = nil
    }
  }

  /// Returns the library that was last backed up, or restored from its archives. Its ID may come from any run
  /// in the same folder.
  private static func library(of entries: [RunEntry]) -> LibraryIdentity? {
    guard
      let newest = entries.first(where: { $0.isBackedUp || $0.restoreTest?.isRestored == true })
    else { return nil }
    var library = LibraryIdentity(path: newest.libraryPath, id: newest.libraryID)
    library.id = library.id ?? entries.lazy.filter { $0.isOf(library) }.compactMap(\.libraryID).first
    return library
  }

  private static func copies(of runs: [RunEntry], _ job: String, _ ledger: Ledger) -> [Copy] {
    let own = Set(runs.map(\.begun))
    let found = ledger.copies(of: job).filter { $0.run.map(own.contains) ?? false }
    let destinations =
      runs.lazy.compactMap { $0.backup?.run.destinations.map(\.path) }.first { !$0.isEmpty }
      ?? Array(Set(found.map(\.destination))).sorted()
    return destinations.compactMap { destination in
      guard let entry = found.first(where: { $0.destination == destination }),
        var copy: Copy = decoded(entry.record)
      else { return nil }
      copy.describe(by: ledger, reachedBy: entry.run)
      return copy
    }
  }

  // MARK: Records

  static func encoded(_ record: some Encodable) -> Data { (try? JSONEncoder().encode(record)) ?? Data() }

  static func decoded<Record: Decodable>(_ data: Data) -> Record? {
    try? JSONDecoder().decode(Record.self, from: data)
  }
}

extension RunEntry {
  /// The record of a backup; nil for another kind of run.
  var backup: BackupRecord? { kind == .backup ? JobStatus.decoded(record) : nil }

  /// The record of a restore test; nil for another kind of run, and for a test without findings.
  var restoreTest: RestoreTestEntry? { kind == .restoreTest ? JobStatus.decoded(record) : nil }
}
