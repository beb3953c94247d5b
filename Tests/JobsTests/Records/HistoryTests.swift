import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import Backup
@testable import Jobs

@Suite struct HistoryTests {
  private let scratch = ScratchFolder()
  private let ledger: Ledger

  init() throws {
    ledger = Ledger(folder: scratch.path.appending("state"))
  }

  /// A summary of a test.
  private struct Sample: RecordedSummary {
    var recorded = OperationResult(LedgerRun.Counts())
  }

  private func sample(findings count: Int = 0) -> Sample {
    var sample = Sample()
    sample.recorded.counts.photos = 14
    sample.recorded.findings = (0..<count).map { Finding(.entry("photo \($0)"), "it is corrupt") }
    sample.recorded.isIncomplete = count > 0
    return sample
  }

  private func newest() throws -> HistoryEntry { try #require(ledger.history().first) }

  // MARK: Operations of commands

  @Test("History: an operation is running until it ends")
  func running() throws {
    _ = try ledger.recording(RecordedOperation(.import, archives: ["/a.zip"])) {
      #expect(ledger.history().map(\.outcome) == [.running])
      #expect(ledger.history().map(\.details.archives) == [["/a.zip"]])
      return sample()
    }
    #expect(try newest().outcome == .done)
    #expect(try newest().run.counts.photos == 14)
    #expect(try newest().run.endedAt != nil)
  }

  @Test("History: an incomplete operation has its findings with their reasons")
  func findings() throws {
    _ = try ledger.recording(RecordedOperation(.import)) { sample(findings: 2) }
    let entry = try newest()
    #expect(entry.outcome == .incomplete)
    #expect(entry.run.counts.findings == 2)
    #expect(entry.details.findings == sample(findings: 2).recorded.findings)
  }

  @Test("History: at most 1000 items are kept, and all are counted")
  func manyFindings() throws {
    _ = try ledger.recording(RecordedOperation(.import)) { sample(findings: 1500) }
    #expect(try newest().run.counts.findings == 1500)
    #expect(try newest().details.findings.count == 1000)
  }

  @Test("History: a failed operation has the reason")
  func failed() throws {
    #expect(throws: BackupError.self) {
      _ = try ledger.recording(RecordedOperation(.import)) { () throws -> Sample in
        throw BackupError.noSuchBackup("/a.zip")
      }
    }
    #expect(try newest().outcome == .failed)
    #expect(try newest().details.message == "there is no file /a.zip")
    #expect(try newest().run.counts == LedgerRun.Counts())
  }

  @Test("History: an import that stopped after some backups has their counts")
  func stopped() throws {
    var done = ImportSummary()
    done.photosImported = 5
    let error = ImportStopped(at: "/b.zip", after: ["/a.zip"], done, BackupError.noSuchBackup("/b.zip"))
    _ = try? ledger.recording(RecordedOperation(.import)) { () throws -> Sample in throw error }
    #expect(try newest().outcome == .failed)
    #expect(try newest().run.counts.photos == 5)
  }

  @Test("History: an import that was cancelled after some backups is interrupted and has their counts")
  func cancelledAfterSome() throws {
    var done = ImportSummary()
    done.photosImported = 5
    let error = ImportStopped(at: "/b.zip", after: ["/a.zip"], done, CancellationError())
    _ = try? ledger.recording(RecordedOperation(.import)) { () throws -> Sample in throw error }
    #expect(try newest().outcome == .interrupted)
    #expect(try newest().run.counts.photos == 5)
    #expect(try newest().details.message == "stopped at /b.zip; already imported: /a.zip")
  }

  @Test("History: a cancelled operation is interrupted")
  func cancelled() throws {
    _ = try? ledger.recording(RecordedOperation(.import)) { () throws -> Sample in
      throw CancellationError()
    }
    #expect(try newest().outcome == .interrupted)
    #expect(try newest().details.message == nil)
  }

  @Test("History: an operation that found its library locked is not begun")
  func busy() throws {
    let folder = try Directory.open(scratch.path)
    let lock = try FileLock("lock", in: folder, exclusive: true)
    _ = try? ledger.recording(RecordedOperation(.import)) { () throws -> Sample in
      _ = try FileLock("lock", in: folder, exclusive: true)
      return sample()
    }
    #expect(try newest().outcome == .notBegun)
    lock.release()
  }

  @Test("History: an operation of a process that was killed is interrupted")
  func killed() throws {
    do {
      let process = Ledger(folder: scratch.path.appending("state"))
      var run = LedgerRun(.import, libraryPath: "/l", startedAt: 5)
      process.insert(&run)
      #expect(try newest().outcome == .running)
      withExtendedLifetime(process) {}
    }
    #expect(try newest().outcome == .interrupted)
  }

  @Test("History: a dry run is not recorded")
  func dryRun() async throws {
    let operation = RecordedOperation(.import, isDryRun: true)
    _ = try await Work(operation, by: ledger) { [sample = sample()] _ in sample }.summary
    #expect(ledger.history().isEmpty)
  }

  @Test("History: an operation succeeds if the ledger cannot be written")
  func unwritable() throws {
    let ledger = Ledger(folder: try scratch.write([0], to: "file").appending("state"))
    let summary = try ledger.recording(RecordedOperation(.import)) { sample() }
    #expect(summary.recorded.counts.photos == 14)
    #expect(ledger.problem != nil)
  }

  // MARK: Filters

  @Test("History: a library is found by its ID, or by its folder if an ID is unknown")
  func library() throws {
    for (path, id) in [("/a", "A"), ("/moved", "A"), ("/a", nil), ("/a", "B"), (nil, nil)]
      as [(FilePath?, String?)]
    {
      var run = LedgerRun(.import, libraryPath: path, startedAt: 5)
      run.libraryID = id
      ledger.insert(&run)
    }
    #expect(ledger.history(library: ("/a", "A")).map(\.run.number) == [3, 2, 1])
    #expect(ledger.history(library: ("/a", nil)).map(\.run.number) == [4, 3, 1])
    #expect(ledger.history(library: ("/b", "C")).isEmpty)
  }

  @Test("History: entries before a date are omitted, whatever their order")
  func since() throws {
    for moment in [30, 10, 20] as [Timestamp] {
      var run = LedgerRun(.import, libraryPath: "/l", startedAt: moment)
      ledger.insert(&run)
    }
    #expect(ledger.history(since: 20).map(\.run.startedAt) == [20, 30])
  }

  // MARK: Jobs

  @Test("History: a run of a job is one operation with its counts")
  func backup() async throws {
    let night = try await Night.afterBackup()
    let entries = night.context.ledger.history()
    try #require(entries.count == 1)
    #expect(entries[0].run.kind == .backup)
    #expect(entries[0].run.job == "family")
    #expect(entries[0].outcome == .done)
    #expect(entries[0].run.counts.photos == 6)
    #expect(entries[0].details.archives.count == 1)
  }

  @Test("History: a run of a job has its findings")
  func incompleteBackup() async throws {
    let night = try Night()
    let photo = try #require(
      try FileManager.default.subpathsOfDirectory(atPath: night.library.path.string).first {
        $0.hasSuffix("/1.jpg")
      })
    try night.remove(night.library.path.appending(photo).string)
    _ = try await night.backup()
    let entry = try #require(night.context.ledger.history().first)
    #expect(entry.outcome == .incomplete)
    #expect(entry.run.counts.findings == 1)
    let item = try #require(entry.details.findings.first)
    #expect(item.item.hasPrefix("photo 1 “"))
    #expect(item.item.hasSuffix("”"))
    #expect(item.message.hasPrefix("\(item.subject): cannot open"))
  }

  @Test("History: a restore test is one operation with its report")
  func restoreTest() async throws {
    let night = try await Night.afterBackup()
    _ = try await night.drill()
    let entry = try #require(night.context.ledger.history().first)
    #expect(night.context.ledger.history().count == 2)
    #expect(entry.run.kind == .restoreTest)
    #expect(entry.outcome == .done)
    #expect(entry.details.report != nil)
  }

  @Test(
    "History: a backup and a restore test of another library than the job's are recorded, without the job")
  func otherLibrary() async throws {
    let night = try Night()
    let library = try SampleLibrary()
    var job = night.job
    (job.library, job.usesOtherLibrary) = (library.path, true)
    _ = try await Work.backup(job, night.context).summary
    _ = try await night.drill(job)
    let runs = night.context.ledger.history().map(\.run)
    #expect(runs.map(\.kind) == [.restoreTest, .backup])
    #expect(runs.map(\.job) == [nil, nil])
    #expect(runs.map(\.libraryPath) == [library.path, library.path])
    #expect(night.context.state.statuses() == [])
  }

  @Test("History: operations of commands do not change the status of a job")
  func status() async throws {
    let night = try await Night.afterBackup()
    let before = night.context.state.statuses()
    for kind in LedgerRun.Kind.allCases {
      let operation = RecordedOperation(kind, ofLibrary: night.library.path)
      _ = try night.context.ledger.recording(operation) { sample() }
    }
    #expect(night.context.state.statuses() == before)
    #expect(night.context.ledger.history().count == LedgerRun.Kind.allCases.count + 1)
  }

  // MARK: Time

  /// Five years with a backup and a restore test each night. The command in release mode takes less than 0.1 s, as
  /// `scripts/bench` measures.
  @Test("History: five years of nightly runs are listed in a second of processor time")
  func fiveYears() {
    // in memory, since each of 3650 transactions would be flushed
    let ledger = Ledger()
    let backup = JobStatus.RunRecord(startedAt: 5)
    for _ in 0..<5 * 365 {
      for run in [
        LedgerRun(backup, of: "family", library: "/l"),
        LedgerRun(.restoreTest, job: "family", libraryPath: "/l", startedAt: 6),
      ] {
        var run = run
        run.outcome = .done
        ledger.insert(&run)
      }
    }
    let start = ProcessorTime.ofThread
    #expect(ledger.history(library: ("/l", "A")).count == 3650)
    #expect(ProcessorTime.ofThread - start < .seconds(1))
  }
}
