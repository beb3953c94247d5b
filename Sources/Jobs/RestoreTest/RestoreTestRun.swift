import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Logging
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

extension Work where Summary == RestoreTestReport {
  /// Starts a restore test: restores from the newest archive at each destination of a job into a scratch
  /// library, compares the photos with the live library byte for byte, reads each image's header, and writes
  /// a dated report into the state folder. Only reads the live library. Removes the scratch library.
  ///
  /// The summary throws `JobError.running` if a restore test of the job is running, or a backup of a job with
  /// a hook before; `FileLock.Busy`; `BackupError.passwordNeeded` or `.wrongPassword` if the newest archive
  /// cannot be decrypted; `LibraryError`; `FileError`; `CancellationError`. None of these errors makes an
  /// archive suspect. If a restore failed before such an error, the summary reports both, except for a
  /// `CancellationError`.
  package static func restoreTest(
    _ job: Job, _ context: JobContext, options: RestoreTestOptions = RestoreTestOptions()
  ) -> Self {
    Work { counter in try RestoreTestRun(job, context, options, counter).run() }
  }
}

/// One restore test of a job.
struct RestoreTestRun {
  private let job: Job
  /// The live library's folder.
  private let path: FilePath
  private let context: JobContext
  private let options: RestoreTestOptions
  private let counter: ProgressCounter

  private static let logger = Logger(label: "smilepile.drill")
  /// The outcome in the environment of hooks if a restore failed.
  private static let notRestored = "not restored"

  init(_ job: Job, _ context: JobContext, _ options: RestoreTestOptions, _ counter: ProgressCounter)
    throws(JobError)
  {
    guard let library = job.library else { throw .noLibrary(job.name) }
    self.job = job
    path = library
    self.context = context
    self.options = options
    self.counter = counter
  }

  func run() throws -> RestoreTestReport {
    let startedAt = context.now().milliseconds
    let locks = try begin(startedAt)
    defer { withExtendedLifetime(locks) {} }
    var run = JobStatus.RunRecord(startedAt: startedAt)
    do {
      try hooks.run(.before, run, isCancelled: { counter.isCancelled })
      var report = try test(startedAt)
      run = record(of: report, startedAt)
      for failure in runLastHooks(run, report.isRestoredEverywhere ? nil : Self.notRestored) {
        report.warnings.append("\(failure)")
      }
      return report
    } catch {
      let error = error.cause == .cancelled ? CancellationError() : error
      run = record(of: error, startedAt)
      for failure in runLastHooks(run) { Self.logger.warning("\(failure)") }
      throw error
    }
  }

  /// The locks of a test. The backup is locked only if the job has the hook before.
  private struct Locks: ~Copyable {
    let test: FileLock
    let backup: FileLock?
  }

  /// Takes the locks. If the state folder cannot be used, runs the hook on-failure.
  private func begin(_ startedAt: Int64) throws -> Locks {
    do {
      let lock = try context.state.lock(
        job.name, isRestoreTest: true, waiting: .zero, whileWaiting: counter.checkCancellation)
      // during a backup, the hooks could mount or unmount the disk that the backup uses
      guard job.hooks.before != nil else { return Locks(test: lock, backup: nil) }
      let backup = try context.state.lock(
        job.name, waiting: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock)
      return Locks(test: lock, backup: backup)
    } catch let error as FileError {
      try? hooks.run(.onFailure, record(of: error, startedAt))
      throw error
    }
  }

  // MARK: The test

  private func test(_ startedAt: Int64) throws -> RestoreTestReport {
    let live = try Library(path: path)
    let libraryID = try live.libraryID()
    let status = context.state.status(of: job.name)
    let isOfJob = !job.usesOtherLibrary && status.isOf(library: path, id: libraryID)
    var entry = LedgerRun(
      .restoreTest, job: isOfJob ? job.name : nil, libraryPath: path.string, startedAt: startedAt)
    entry.libraryID = libraryID
    context.ledger.insert(&entry)
    do {
      var (report, inconclusiveError) = try testDestinations(live, isOfJob ? status : nil)
      if !isOfJob, !job.usesOtherLibrary {
        report.recordingFaults.append(
          "the last backup of the job was of another library than \(path), so this test does not count for the job; "
            + "run a backup")
      }
      write(&report)
      record(&report, in: &entry, after: isOfJob ? status : nil)
      guard let inconclusiveError, inconclusiveError is CancellationError else { return report }
      // a cancelled test throws an error instead of returning the report
      let failures = report.results.flatMap(\.failures).map(\.message)
      for line in failures + report.warnings + report.recordingFaults { Self.logger.warning("\(line)") }
      throw inconclusiveError
    } catch {
      // a test without findings has an end and a reason, but no result
      if entry.endedAt == nil {
        entry.endedAt = context.now().milliseconds
        entry.outcome = error is CancellationError ? .interrupted : .failed
        var details = OperationRecord()
        details.message = error is CancellationError ? nil : JobMessage.text(of: error)
        entry.record = JobStatus.encoded(details)
        context.ledger.update(&entry)
      }
      throw error
    }
  }

  /// Tests the destinations one after the other.
  ///
  /// - Parameter status: the status of the job; nil for another library than the one that was last backed up.
  /// - Returns: the results, and the error that stopped the test after a failed restore.
  /// - Throws: the error that stopped the test before any failed restore.
  private func testDestinations(
    _ live: Library, _ status: JobStatus?
  ) throws -> (RestoreTestReport, inconclusiveError: (any Error)?) {
    let password = try job.password.map(context.password)
    let libraryID = try live.libraryID()
    let operation = context.ledger.begin("drill \(job.name)", now: context.now)
    var report = RestoreTestReport()
    for (destination, share) in zip(job.destinations, counter.parts(job.destinations.count)) {
      counter.begin(share)
      let copy = status?.copies.first { $0.path == destination.path.string }
      let test = DestinationTest(
        job: job, destination: destination, live: live, password: password, copy: copy,
        last: status?.lastRestoreTest, options: options, context: context, counter: counter)
      let outcome = test.run()
      if let result = outcome.result {
        observe(result, operation, copy: copy)
        if let libraryID {
          operation.record(PhotoFindings(damaged: result.comparison.damagedInLibrary), ofLibrary: libraryID)
        }
        report.results.append(result)
      }
      guard let inconclusiveError = outcome.inconclusiveError else { continue }
      guard report.results.contains(where: { !$0.isRestored }) else { throw inconclusiveError }
      let reason =
        inconclusiveError is CancellationError
        ? "the test was interrupted" : JobMessage.text(of: inconclusiveError)
      report.warnings.append("not every destination was tested: \(reason)")
      return (report, inconclusiveError)
    }
    return (report, nil)
  }

  // MARK: Hooks

  private var hooks: JobHooks { JobHooks(task: .drill, job: job, library: path, context: context) }

  /// Describes the test to hooks like a backup.
  private func record(of report: RestoreTestReport, _ startedAt: Int64) -> JobStatus.RunRecord {
    var run = JobStatus.RunRecord(startedAt: startedAt)
    let failures = report.results.flatMap(\.failures)
    run.exitCode = report.exitCode
    run.outcome = report.exitCode == 0 ? .done : report.isRestoredEverywhere ? .incomplete : .failed
    run.message =
      (failures + report.damagedInLibrary).first?.message
      ?? report.recordingFaults.first
    run.archives =
      report.results.filter { $0.isRestored == report.isRestoredEverywhere }.compactMap {
        $0.restore?.archive
      }
    run.photos = report.identicalPhotos
    run.missing = report.results.compactMap(\.restore).flatMap { $0.failures + $0.comparison.failures }
      .map(\.message)
    return run
  }

  /// Describes a test that did not reach its end to hooks.
  private func record(of error: any Error, _ startedAt: Int64) -> JobStatus.RunRecord {
    var run = JobStatus.RunRecord(startedAt: startedAt)
    run.outcome = error is CancellationError ? .interrupted : .failed
    run.exitCode = context.exitCode(error)
    run.message =
      error is CancellationError ? "stopped; the temporary library was removed" : JobMessage.text(of: error)
    return run
  }

  /// Runs the hook on-failure after a failure, then the hook finally.
  ///
  /// - Returns: the failures of the hooks.
  private func runLastHooks(_ run: JobStatus.RunRecord, _ outcome: String? = nil) -> [HookRun.Failure] {
    let hasFailed = run.outcome == .failed || run.outcome == .incomplete
    let due: [JobHooks.Hook] = hasFailed ? [.onFailure, .finally] : [.finally]
    return due.compactMap { hook in
      do throws(HookRun.Failure) {
        try hooks.run(hook, run, outcome: outcome)
        return nil
      } catch {
        return error
      }
    }
  }

  // MARK: Report and ledger

  private func write(_ report: inout RestoreTestReport) {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "yyyyMMdd_HHmmss"
    let stem = "\(job.name)_\(format.string(from: context.now()))"
    let folder = context.state.path.appending("drills")
    do {
      _ = try Directory.open(context.state.path).makeDirectory("drills")
      // two reports in the same second have different names
      let reports = try Directory.open(folder)
      let names = (1...100).lazy.map { FilePath($0 == 1 ? "\(stem).txt" : "\(stem)_\($0).txt") }
      let name = try names.first { try reports.status(of: $0) == nil } ?? FilePath("\(stem).txt")
      let text = report.text(of: job, library: path, at: context.now())
      try AtomicFile.replace(name, in: folder, with: [UInt8](text.utf8))
      report.path = name.inFolder(folder)
    } catch {
      report.recordingFaults.append("the report cannot be written: \(error)")
    }
  }

  /// Records what the test observed of the archives of a destination.
  private func observe(_ result: RestoreTestResult, _ operation: LedgerOperation, copy: JobStatus.Copy?) {
    let known = copy?.files ?? []
    if case .unreachable = result.outcome {
      return operation.record(.unreachable, of: known.map { ($0, nil) })
    }
    let members = result.restore?.members ?? []
    let files = zip(result.restore?.files ?? [], members).map { (file: $0, archiveID: $1.archiveID) }
    guard let failure = result.failures.first else {
      return operation.record(.restored(result.restore?.coverage ?? .sample), of: files)
    }
    operation.record(.foundDamaged(reason: failure.message), of: files)
    // a copy that the test did not read keeps its health
    let tried = Set(members.map(\.path) + [result.missingCopy?.item].compactMap { $0 })
    guard let copy, tried.isEmpty || copy.archives.contains(where: tried.contains) else { return }
    let others = known.filter { file in !files.contains { $0.file == file } }
    operation.record(.foundDamaged(reason: failure.message), of: others.map { ($0, nil) })
  }

  /// Records the result of the test, and publishes the job's status.
  ///
  /// - Parameter status: the status of the job; nil for a test that is not of the job.
  private func record(
    _ report: inout RestoreTestReport, in entry: inout LedgerRun, after status: JobStatus?
  ) {
    let previous = status?.lastRestoreTest
    // the first destination that failed, else the first without proof, else the first
    let result =
      report.results.first { !$0.isRestored } ?? report.results.first { !$0.hasPassed }
      ?? report.results.first
    var damaged = Set(report.damagedInLibrary.map(\.subject)).count
    // photos that were not compared may still be damaged
    let isCompared = report.results.contains { $0.isRestored && $0.comparison.isComplete }
    if !isCompared { damaged = max(damaged, previous?.damaged ?? 0) }
    let test = JobStatus.RestoreTestRecord(
      at: context.now().milliseconds, hasPassed: report.hasPassed,
      archive: result?.missingCopy?.item ?? result?.restore?.archive ?? result?.destination.string ?? "",
      photos: report.identicalPhotos, damaged: damaged == 0 ? nil : damaged,
      round: (previous?.round ?? 0) + 1,
      report: report.path?.string)
    entry.endedAt = test.at
    entry.outcome = report.hasPassed ? .done : .failed
    let findings = report.damagedInLibrary + report.results.flatMap(\.failures)
    entry.counts = LedgerRun.Counts(photos: test.photos, findings: findings.count)
    entry.record = JobStatus.encoded(
      RestoreTestDetails(
        test: test, isRestoredSomewhere: report.results.contains(where: \.isRestored),
        findings: Array(findings.prefix(OperationRecord.mostFindings)),
        destinations: report.results.map { JobStatus.DestinationTestRecord($0, at: test.at) }))
    guard let status else { return context.ledger.update(&entry) }
    context.ledger.update(&entry, copies: report.results.compactMap { copy(after: $0, status)?.entry })
    report.recordingFaults += context.publishStatus(of: job)
  }

  /// Returns the copy at a reached destination: the restored copy if it is better than the known one, else
  /// the known one.
  private func copy(after result: RestoreTestResult, _ status: JobStatus) -> CopyRecord? {
    if case .unreachable = result.outcome { return nil }
    let known = status.copies.first { $0.path == result.destination.string }
    guard result.isRestored, let members = result.restore?.members,
      !members.contains(where: \.isPartiallyRecovered),
      let destination = job.destinations.first(where: { $0.path == result.destination }),
      let found = CopyRecord(members, at: destination, of: job, path)
    else { return known?.found }
    guard let known, known.archive != found.archive || known.madeAt != found.madeAt,
      !known.health.isSuspect, known.areFilesUnchanged
    else { return found }
    let isBetter = found.place >= known.place && (found.missingPhotos == 0 || known.missingPhotos > 0)
    return isBetter ? found : known.found
  }
}

extension RestoreTestReport {
  /// The number of restored photos that are identical in the library.
  fileprivate var identicalPhotos: Int { results.reduce(0) { $0 + $1.comparison.identical } }
}
