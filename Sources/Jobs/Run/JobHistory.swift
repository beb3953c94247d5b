import ArchiveCatalog
import FileSystem
import Foundation
import SystemPackage

/// What the ledger keeps of a backup besides its columns.
struct BackupRecord: Codable {
  var run: JobStatus.RunRecord
  /// Every photo of the library was read, and is intact.
  var isLibraryIntact = false
}

/// What the ledger keeps of a restore test besides its columns.
struct RestoreTestEntry: Codable {
  var test: JobStatus.RestoreTestRecord
  /// A destination restored everything that was tried.
  var isRestored: Bool
}

extension RunEntry {
  /// The outcome of a backup that could not begin, for example because another run held the lock.
  static let notBegun = "notBegun"

  /// An entry of a backup.
  init(_ run: JobStatus.RunRecord, of job: String, library: FilePath) {
    self.init(
      .backup, job: job, libraryPath: library.string, startedAt: run.startedAt,
      outcome: run.outcome.rawValue, record: JobStatus.encoded(BackupRecord(run: run)))
  }

  fileprivate var isBackedUp: Bool {
    kind == .backup && [.done, .unchanged, .incomplete].contains(JobStatus.Outcome(rawValue: outcome))
  }

  /// The library is backed up as it is, and every hook has ended.
  fileprivate var isComplete: Bool {
    kind == .backup && hook == nil && JobStatus.Outcome(rawValue: outcome)?.isSuccess == true
  }

  /// Under way, or killed before it could record its end.
  fileprivate var hasNoEnd: Bool {
    outcome == JobStatus.Outcome.running.rawValue
      || hook != nil && JobStatus.Outcome(rawValue: outcome)?.isSuccess == true
  }

  /// Whether a run and a library are of the same library: by its ID, wherever it is, or by its folder if one of them has
  /// no ID. Blocks.
  fileprivate func isOf(_ library: JobStatus.LibraryIdentity) -> Bool {
    JobStatus.LibraryIdentity(path: libraryPath, id: libraryID) == library
  }
}

extension JobStatus {
  /// A library, by its ID or, if that is not known, by its folder.
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
  /// - Failures are the runs that ended, or were killed, since the last complete one ended, without the newest while it has
  ///   no end: it may be under way.
  /// - Copies, complete runs and restore tests are those of the library that was last backed up.
  /// - A copy is the newest that any run found at a destination of the newest run; its health is that of its archives.
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

  /// The library that was last backed up, or restored from its archives; its ID is that of any run in the same folder.
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
  /// What is kept of a backup; nil for another kind of run.
  var backup: BackupRecord? { kind == .backup ? JobStatus.decoded(record) : nil }

  /// What is kept of a restore test; nil for another kind of run, and for a test without findings.
  var restoreTest: RestoreTestEntry? { kind == .restoreTest ? JobStatus.decoded(record) : nil }
}
