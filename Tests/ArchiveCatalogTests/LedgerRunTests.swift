import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import ArchiveCatalog

/// Rows of jobs and commands in the ledger.
@Suite(.waitsForPrograms) struct LedgerRunTests {
  private let scratch: ScratchFolder
  private let folder: FilePath

  init() throws {
    scratch = try ScratchFolder()
    folder = scratch.path.appending("state")
  }

  private var database: FilePath { folder.appending("ledger.sqlite") }

  @Test("Ledger: a run is inserted at its start, and updated until its end")
  func runs() throws {
    let ledger = Ledger(folder: folder)
    var run = LedgerRun(.backup, job: "family", libraryPath: "/l", startedAt: 5)
    ledger.insert(&run)
    #expect(Ledger(folder: folder).runs(of: "family") == [run])
    run.endedAt = 6
    run.outcome = .done
    run.counts = LedgerRun.Counts(photos: 1, categories: 2, bytes: 3, skipped: 4, removed: 5, findings: 6)
    var copy = LedgerCopy(destination: "/one", record: Data([1]))
    ledger.update(&run, copies: [copy])
    let ended = try #require(run.endPosition)
    #expect(ended > run.startPosition)
    copy.run = run.startPosition
    #expect(Ledger(folder: folder).runs(of: "family") == [run])
    #expect(Ledger(folder: folder).copies(of: "family") == [copy])
    #expect(Ledger(folder: folder).jobs() == ["family"])
  }

  @Test("Ledger: a run whose database was deleted is inserted again")
  func runOfDeletedDatabase() throws {
    let ledger = Ledger(folder: folder)
    var run = LedgerRun(.backup, job: "family", libraryPath: "/l", startedAt: 5)
    ledger.insert(&run)
    try FileManager.default.removeItem(atPath: database.string)
    (run.endedAt, run.outcome) = (6, .done)
    ledger.update(&run, copies: [LedgerCopy(destination: "/one", record: Data([1]))])
    #expect(Ledger(folder: folder).runs(of: "family").map(\.outcome) == [.done])
    #expect(Ledger(folder: folder).copies(of: "family").count == 1)
  }

  @Test("Ledger: a command is a run without a job", arguments: LedgerRun.Kind.allCases)
  func command(kind: LedgerRun.Kind) throws {
    let ledger = Ledger(folder: folder)
    var run = LedgerRun(kind, libraryPath: nil, startedAt: 5)
    ledger.insert(&run)
    (run.endedAt, run.outcome) = (6, .incomplete)
    ledger.update(&run)
    #expect(Ledger(folder: folder).runs() == [run])
    #expect(ledger.jobs().isEmpty)
  }

  @Test("Ledger: runs have the numbers 1, 2, 3, and the newest is first")
  func numbers() throws {
    let ledger = Ledger(folder: folder)
    for moment in [30, 10, 20] as [Int64] {
      var run = LedgerRun(.import, libraryPath: "/l", startedAt: moment)
      ledger.insert(&run)
      ledger.begin("test").record(
        .verified, of: [(ArchiveFile(location: "/a", bytes: 1, modifiedAt: 1), nil)])
    }
    #expect(ledger.runs().map(\.number) == [3, 2, 1])
    #expect(ledger.runs(since: 20).map(\.number) == [3, 1])
    #expect(ledger.run(number: 2)?.startedAt == 10)
    #expect(ledger.run(number: 4) == nil)
  }

  @Test("Ledger: processes that insert runs at once lose none")
  func concurrent() async throws {
    let folder = folder
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let ledger = Ledger(folder: folder)
          for _ in 0..<10 {
            var run = LedgerRun(.import, libraryPath: "/l", startedAt: 5)
            ledger.insert(&run)
            run.outcome = .done
            ledger.update(&run)
          }
        }
      }
    }
    let runs = Ledger(folder: folder).runs()
    #expect(runs.map(\.number) == (1...40).reversed())
    #expect(runs.allSatisfy { $0.outcome == .done })
  }

  @Test("Ledger: a run of a deleted database does not replace a run of its successor")
  func deletedDatabase() throws {
    let ledger = Ledger(folder: folder)
    var old = LedgerRun(.import, libraryPath: "/old", startedAt: 5)
    ledger.insert(&old)
    for name in try Directory.open(folder).names() { _ = try Directory.open(folder).remove(name) }
    var new = LedgerRun(.import, libraryPath: "/new", startedAt: 6)
    Ledger(folder: folder).insert(&new)
    #expect(new.startPosition == old.startPosition)
    (old.outcome, old.endedAt) = (.done, 7)
    Ledger(folder: folder).update(&old)
    let runs = Ledger(folder: folder).runs()
    #expect(runs.map(\.libraryPath) == ["/old", "/new"])
    #expect(runs.map(\.outcome) == [.done, .running])
  }

  @Test("Ledger: a run is running until its process ends")
  func running() throws {
    let reader = Ledger(folder: folder)
    var run = LedgerRun(.import, libraryPath: "/l", startedAt: 5)
    do {
      let ledger = Ledger(folder: folder)
      ledger.insert(&run)
      #expect(ledger.isRunning(run))
      #expect(reader.isRunning(run))
      var ended = run
      ended.outcome = .done
      #expect(!reader.isRunning(ended))
      withExtendedLifetime(ledger) {}
    }
    #expect(!reader.isRunning(run))
  }

  // MARK: Version 1

  /// Creates a ledger as version 1 of the schema did.
  private func makeVersion1(_ rows: String) throws {
    try Directory.makeAll(folder)
    let queue = try DatabaseQueue(path: database.string)
    try queue.write { database in
      try database.execute(
        sql: """
          PRAGMA application_id = \(0x534D_5047);
          PRAGMA user_version = 1;
          CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
          INSERT INTO grdb_migrations VALUES ('1 observations, descriptors, runs');
          CREATE TABLE position (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL) STRICT;
          INSERT INTO position (id, number) VALUES (1, 70);
          CREATE TABLE observation (
            recorded INTEGER PRIMARY KEY, begun INTEGER NOT NULL,
            location TEXT NOT NULL, bytes INTEGER NOT NULL, modifiedAt INTEGER NOT NULL,
            archiveID TEXT,
            event TEXT NOT NULL CHECK (event IN ('verified', 'restored', 'damaged', 'unreachable')),
            detail TEXT, at INTEGER NOT NULL, observer TEXT NOT NULL
          ) STRICT;
          CREATE INDEX observationLocation ON observation(location, recorded);
          CREATE TABLE descriptor (
            location TEXT PRIMARY KEY NOT NULL,
            bytes INTEGER NOT NULL, modifiedAt INTEGER NOT NULL, format INTEGER NOT NULL, json BLOB NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE run (
            begun INTEGER PRIMARY KEY, ended INTEGER,
            kind TEXT NOT NULL CHECK (kind IN ('backup', 'restoreTest')),
            job TEXT NOT NULL, libraryPath TEXT NOT NULL, libraryID TEXT,
            startedAt INTEGER NOT NULL, endedAt INTEGER,
            outcome TEXT NOT NULL, hook TEXT, record BLOB NOT NULL
          ) STRICT;
          CREATE INDEX runJob ON run(job, begun);
          CREATE TABLE copy (
            job TEXT NOT NULL, destination TEXT NOT NULL,
            run INTEGER NOT NULL REFERENCES run(begun),
            record BLOB NOT NULL,
            PRIMARY KEY (job, destination, run)
          ) STRICT, WITHOUT ROWID;
          \(rows)
          """)
    }
    try queue.close()
  }

  private static let rows = """
    INSERT INTO run VALUES (40, 50, 'backup', 'family', '/l', 'ID', 1000, 2000, 'incomplete', NULL,
      CAST('{"run":{"photos":14,"bytes":99,"missing":["a","b"]},"isLibraryIntact":false}' AS BLOB));
    INSERT INTO run VALUES (60, 61, 'restoreTest', 'family', '/l', 'ID', 3000, 4000, 'done', NULL,
      CAST('{"test":{"photos":8},"isRestored":true}' AS BLOB));
    INSERT INTO run VALUES (70, NULL, 'backup', 'cars', '/c', NULL, 5000, NULL, 'running', NULL, x'');
    INSERT INTO copy VALUES ('family', '/one', 40, x'01');
    """

  @Test("Ledger: the migration of version 1 keeps runs and copies, and counts their photos")
  func migration() throws {
    try makeVersion1(Self.rows)
    let ledger = Ledger(folder: folder)
    let runs = ledger.runs()
    #expect(ledger.problem == nil)
    #expect(runs.map(\.startPosition.number) == [70, 60, 40])
    #expect(runs.map(\.number) == [3, 2, 1])
    #expect(runs.map(\.outcome) == [.running, .done, .incomplete])
    #expect(runs.map(\.counts.photos) == [nil, 8, 14])
    #expect(runs.map(\.counts.findings) == [nil, nil, 2])
    #expect(runs.map(\.libraryID) == [nil, "ID", "ID"])
    #expect(ledger.copies(of: "family").map(\.destination) == ["/one"])
    #expect(ledger.jobs() == ["cars", "family"])
    var next = LedgerRun(.add, libraryPath: "/l", startedAt: 1)
    ledger.insert(&next)
    #expect(next.startPosition.number == 71)
    #expect(next.number == 4)
  }

  @Test("Ledger: after the migration the version is the newest, and references are intact")
  func migratedSchema() throws {
    try makeVersion1(Self.rows)
    _ = Ledger(folder: folder).runs()
    try DatabaseQueue(path: database.string).read { database in
      let version = try Int.fetchOne(database, sql: "PRAGMA user_version")
      let faults = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
      let tables = try String.fetchAll(
        database, sql: "SELECT \"table\" FROM pragma_foreign_key_list('copy')")
      #expect(version == Int(LedgerSchema.version))
      #expect(faults.isEmpty)
      #expect(tables == ["run"])
    }
  }

  @Test("Ledger: processes that migrate at once keep the database")
  func concurrentMigration() async throws {
    try makeVersion1(Self.rows)
    let folder = folder
    let problems = await withTaskGroup(of: Ledger.Problem?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let ledger = Ledger(folder: folder)
          var run = LedgerRun(.import, libraryPath: "/l", startedAt: 5)
          ledger.insert(&run)
          return ledger.problem
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(problems.compactMap(\.self).isEmpty)
    #expect(Ledger(folder: folder).runs().count == 7)
  }
}
