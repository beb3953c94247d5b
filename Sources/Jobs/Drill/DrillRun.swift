import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Logging
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

extension Work where Summary == DrillReport {
  /// Starts a drill: restores from the newest archive at each destination of a job into a scratch library, compares
  /// what came back with the live one byte for byte, reads each image's header, and writes a dated report into the
  /// state folder. What the archive promises and what does not come back is a failure, as is an archive that rests on one
  /// that is gone. The live library is only read; the scratch library is removed.
  ///
  /// The summary throws `JobError.running` if a drill of the job is under way, or a backup of one with a hook before;
  /// `FileLock.Busy` if the library is being changed, or a folder pruned, for too long, `BackupError.passwordNeeded` or
  /// `.wrongPassword` where the password does not open what the last backup left, or anything in a folder, `LibraryError`,
  /// `FileError`, or another error of a process that lacks memory. No copy is doubted for that. Where something had failed to restore
  /// before it, it stands among the report's warnings instead, unless it is a `CancellationError`.
  package static func drill(_ job: Job, _ context: JobContext, options: DrillOptions = DrillOptions()) -> Self
  {
    Work { counter in try DrillRun(job, context, options, counter).run() }
  }
}

/// One drill of a job.
struct DrillRun {
  private let job: Job
  /// The live library's folder.
  private let path: FilePath
  private let context: JobContext
  private let options: DrillOptions
  private let counter: ProgressCounter

  private static let logger = Logger(label: "smilepile.drill")
  /// How hooks are told that something did not come back.
  private static let notRestored = "not restored"

  init(_ job: Job, _ context: JobContext, _ options: DrillOptions, _ counter: ProgressCounter)
    throws(JobError)
  {
    guard let library = job.library else { throw .noLibrary(job.name) }
    self.job = job
    path = library
    self.context = context
    self.options = options
    self.counter = counter
  }

  func run() throws -> DrillReport {
    let lock = try context.state.lock(
      job.name, isDrill: true, waiting: .zero, whileWaiting: counter.checkCancellation)
    defer { withExtendedLifetime(lock) {} }
    // hooks that mount the disk before and unmount it after would do so under a backup
    let backupLock = try job.hooks.before.map { _ in
      try context.state.lock(
        job.name, waiting: .seconds(job.lockWait), whileWaiting: counter.waitForWriter)
    }
    defer { withExtendedLifetime(backupLock) {} }
    let startedAt = context.now().milliseconds
    var run = JobStatus.RunRecord(startedAt: startedAt)
    do {
      try hooks.run(.before, run, isCancelled: { counter.isCancelled })
      var report = try drill()
      run = record(of: report, startedAt)
      for failure in tell(run, report.isRestored ? nil : Self.notRestored) {
        report.warnings.append("\(failure)")
      }
      return report
    } catch {
      // a hook that was stopped was so since everything is to stop
      let isStopped = (error as? HookRun.Failure)?.isCancellation == true
      let error = isStopped ? CancellationError() : error
      run.outcome = error is CancellationError ? .interrupted : .failed
      run.exitCode = context.exitCode(error)
      run.message =
        error is CancellationError ? "stopped; what was restored is removed" : JobMessage.text(of: error)
      for failure in tell(run) { Self.logger.warning("\(failure)") }
      throw error
    }
  }

  private func drill() throws -> DrillReport {
    let live = try Library(path: path)
    let password = try job.password.map(context.password)
    let status = context.state.status(of: job.name)
    let number = try live.uuid()
    let isOfJob = !job.isOtherLibrary && status.isOf(library: path, number: number)
    let round = status.lastDrill?.round ?? 0
    let observer = context.ledger.observer("drill \(job.name)", now: context.now)
    var entry = RunEntry(
      .restoreTest, job: job.name, libraryPath: path.string, startedAt: context.now().milliseconds,
      outcome: JobStatus.Outcome.running.rawValue)
    if isOfJob { context.ledger.insert(&entry) }
    var report = DrillReport()
    var obstacle: (any Error)?
    let width = 1 / Double(max(1, job.destinations.count))
    for (index, destination) in job.destinations.enumerated() where obstacle == nil {
      let start = Double(index) * width
      var result = DrillResult(destination: destination.path)
      let copy = isOfJob ? status.copies.first { $0.path == destination.path.string } : nil
      do {
        try counter.checkCancellation()
        try destination.checkForReading()
        let drill = DestinationDrill(
          job: job, folder: destination.path, live: live, password: password,
          copy: copy, last: isOfJob ? status.lastDrill : nil, round: round,
          options: options, context: context, counter: counter)
        try drill.run(share: start...min(1, start + width), &result)
      } catch  where saysNothingOfArchives(error) {
        obstacle = error
      } catch {
        result.isOutOfReach = error is DestinationFault
        result.failures.append(Finding(destination.path.string, message: JobMessage.text(of: error)))
      }
      observe(result, observer, copy: isOfJob ? copy : nil, wasStopped: obstacle != nil)
      // of one that was not tried to its end nothing is known but what failed
      if obstacle == nil || !result.failures.isEmpty { report.results.append(result) }
    }
    if let obstacle {
      // what failed before is not forgotten
      guard report.results.contains(where: { !$0.isRestored }) else { throw obstacle }
      let reason = obstacle is CancellationError ? "it was stopped" : "\(obstacle)"
      report.warnings.append("the drill went no further: \(reason)")
    }
    if !isOfJob, !job.isOtherLibrary {
      report.isRecorded = false
      report.warnings.append(
        "\(path) is another library than the one that was last backed up, of which this drill says nothing; back this "
          + "one up, or put that one back")
    }
    write(&report)
    if isOfJob { record(&report, in: &entry, libraryID: number, after: status) }
    guard let obstacle, obstacle is CancellationError else { return report }
    // nobody gets the report
    let failures = report.results.flatMap(\.failures).map(\.message)
    for line in failures + report.warnings { Self.logger.warning("\(line)") }
    throw obstacle
  }

  /// Whether something kept the drill from being made, so that no copy is to be doubted: it was stopped, the library or
  /// the folder is in use, the password is not that of the archives, there is no room, or no place, to restore to, or
  /// what stands in the way of reading any archive.
  private func saysNothingOfArchives(_ error: any Error) -> Bool {
    switch error {
    case _ where ArchiveVerification.isEnvironmentFailure(error): true
    case is FileLock.Busy, is LibraryError: true
    case BackupError.passwordNeeded, BackupError.wrongPassword: true
    case let error as FileError:
      !job.destinations.contains { error.path.starts(with: $0.path) }
        && [options.scratch, path].contains { error.path.starts(with: $0) }
    default: false
    }
  }

  // MARK: The hooks

  private var hooks: JobHooks { JobHooks(task: .drill, job: job, library: path, context: context) }

  /// What a drill came to, as hooks are told of a backup.
  private func record(of report: DrillReport, _ startedAt: Int64) -> JobStatus.RunRecord {
    var run = JobStatus.RunRecord(startedAt: startedAt)
    let failures = report.results.flatMap(\.failures)
    run.exitCode = report.exitCode
    run.outcome = report.exitCode == 0 ? .done : report.isRestored ? .incomplete : .failed
    run.message =
      (failures + report.results.flatMap(\.damagedInLibrary)).first?.message
      ?? (report.isRecorded ? nil : report.warnings.first)
    run.archives = report.results.filter { $0.isRestored == report.isRestored }.compactMap(\.archive)
    run.photos = report.results.reduce(0) { $0 + $1.proven }
    run.missing = failures.map(\.message)
    return run
  }

  /// Runs the hooks at the end of a drill: somebody who is told of backups that fail wants to hear of one that does not
  /// restore, or that cannot be tried.
  ///
  /// - Returns: what hooks did not do.
  private func tell(_ run: JobStatus.RunRecord, _ outcome: String? = nil) -> [HookRun.Failure] {
    let isToBeTold = run.outcome == .failed || run.outcome == .incomplete
    let due: [JobHooks.Hook] = isToBeTold ? [.onFailure, .finally] : [.finally]
    return due.compactMap { hook in
      do throws(HookRun.Failure) {
        try hooks.run(hook, run, outcome: outcome)
        return nil
      } catch {
        return error
      }
    }
  }

  // MARK: The report

  private func write(_ report: inout DrillReport) {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "yyyyMMdd_HHmmss"
    let stem = "\(job.name)_\(format.string(from: context.now()))"
    let folder = context.state.path.appending("drills")
    do {
      _ = try Directory.open(context.state.path).makeDirectory("drills")
      // of two in one second both stay
      let reports = try Directory.open(folder)
      let names = (1...100).lazy.map { FilePath($0 == 1 ? "\(stem).txt" : "\(stem)_\($0).txt") }
      let name = try names.first { try reports.status(of: $0) == nil } ?? FilePath("\(stem).txt")
      let text = report.text(of: job, library: path, at: context.now())
      try AtomicFile.replace(name, in: folder, with: [UInt8](text.utf8))
      report.path = folder.appending(name.components)
    } catch {
      report.isRecorded = false
      report.warnings.append("the report cannot be written: \(error)")
    }
  }

  /// Records what a restore test found about the archives of a destination. What fails to restore is verified by the next
  /// backup before it counts as a copy.
  private func observe(
    _ result: DrillResult, _ observer: ArchiveObserver, copy: JobStatus.Copy?, wasStopped: Bool
  ) {
    let files = zip(result.files, result.members).map { (file: $0, archiveID: $1.archiveID) }
    if let failure = result.failures.first, !result.isOutOfReach {
      observer.record(.foundDamaged(reason: failure.message), of: files)
      // an archive that was not tried is as healthy as it was
      let tried = Set(result.members.map(\.path) + [result.archive, result.lostArchive].compactMap { $0 })
      guard let copy, tried.isEmpty || copy.archives.contains(where: tried.contains) else { return }
      let copied = copy.files.filter { file in !files.contains { $0.file == file } }
      observer.record(.foundDamaged(reason: failure.message), of: copied.map { ($0, nil) })
    } else if result.isOutOfReach {
      observer.record(.unreachable, of: (copy?.files ?? []).map { ($0, nil) })
    } else if !wasStopped, result.isRestored {
      observer.record(.restored(result.isReadWhole ? .all : .sample), of: files)
    }
  }

  /// Records in the ledger what came of the restore test, and publishes the job's status.
  private func record(
    _ report: inout DrillReport, in entry: inout RunEntry, libraryID: String?, after status: JobStatus
  ) {
    // of several destinations the one that failed
    let result =
      report.results.first { !$0.isRestored } ?? report.results.first { !$0.isProven } ?? report.results.first
    var damaged = Set(report.results.flatMap { $0.damagedInLibrary.map(\.item) }).count
    // what was not compared may be as damaged as it was
    if !report.results.contains(where: { $0.isCompared && $0.isRestored }) {
      damaged = max(damaged, status.lastDrill?.damaged ?? 0)
    }
    let drill = JobStatus.DrillRecord(
      at: context.now().milliseconds, isProven: report.isProven,
      archive: result?.lostArchive ?? result?.archive ?? result?.destination.string ?? "",
      photos: report.results.reduce(0) { $0 + $1.proven }, damaged: damaged == 0 ? nil : damaged,
      round: (status.lastDrill?.round ?? 0) + 1, report: report.path?.string)
    entry.endedAt = drill.at
    entry.outcome = (report.isProven ? JobStatus.Outcome.done : .failed).rawValue
    // the archives of a library tell which one it is
    if report.results.contains(where: \.isRestored) { entry.libraryID = libraryID }
    entry.record = JobStatus.encoded(RestoreTestRecord(drill: drill))
    context.ledger.update(&entry, copies: report.results.compactMap { copy(after: $0, status)?.entry })
    let errors = context.state.publishStatus(of: job)
    if let problem = context.ledger.problem ?? errors.first {
      report.isRecorded = false
      report.warnings.append("the status of job \(job.name) cannot be written: \(problem)")
    }
  }

  /// Returns the copy at a destination that was reached: the one that the restore test found, if it is better than the
  /// one that was known.
  private func copy(after result: DrillResult, _ status: JobStatus) -> JobStatus.Copy? {
    guard !result.isOutOfReach else { return nil }
    let known = status.copies.first { $0.path == result.destination.string }
    guard result.isRestored, !result.members.contains(where: \.isPartialRecovery),
      let destination = job.destinations.first(where: { $0.path == result.destination }),
      let found = JobStatus.Copy(result.members, at: destination, of: job, path)
    else { return known }
    guard let known, known.archive != found.archive || known.madeAt != found.madeAt,
      !known.isSuspect, known.areFilesUnchanged
    else { return found }
    let isBetter = found.madeAt >= known.madeAt && (found.missingPhotos == nil || known.missingPhotos != nil)
    return isBetter ? found : known
  }
}
