import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import ArchiveCatalog

/// Rows of jobs and commands in the ledger.
@Suite(.waitsForPrograms) struct LedgerRunTests {
  private let scratch = ScratchFolder()
  private let folder: FilePath

  init() throws {
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

  @Test("Ledger: a run that turns out to be of another library loses its job")
  func otherLibrary() throws {
    let ledger = Ledger(folder: folder)
    var run = LedgerRun(.restoreTest, job: "family", libraryPath: "/l", startedAt: 5)
    ledger.insert(&run)
    (run.job, run.endedAt, run.outcome) = (nil, 6, .done)
    ledger.update(&run)
    #expect(Ledger(folder: folder).runs() == [run])
    #expect(ledger.runs(of: "family").isEmpty)
  }

  @Test("Ledger: runs have the numbers 1, 2, 3, and the newest is first")
  func numbers() throws {
    let ledger = Ledger(folder: folder)
    for moment in [30, 10, 20] as [Timestamp] {
      var run = LedgerRun(.import, libraryPath: "/l", startedAt: moment)
      ledger.insert(&run)
      ledger.observer(named: "test").record(
        .verified, of: [(ArchiveFile(location: "/a", bytes: 1, modifiedAt: 1, changedAt: 1), nil)])
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
}
