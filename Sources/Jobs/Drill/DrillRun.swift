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
  public static func drill(_ job: Job, _ context: JobContext, options: DrillOptions = DrillOptions()) -> Self
  {
    Work { counter in try DrillRun(job, context, options, counter).run() }
  }
}

/// One drill of a job.
struct DrillRun {
  private let job: Job
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
      for failure in tell(run, report.isProven ? nil : Self.notRestored) {
        report.warnings.append("\(failure)")
      }
      return report
    } catch {
      // a hook that was stopped was so since everything is to stop
      let isStopped = (error as? HookRun.Failure)?.isCancellation == true
      let error = isStopped ? CancellationError() : error
      run.outcome = error is CancellationError ? .interrupted : .failed
      run.exitCode = context.exitCode(error)
      run.message = error is CancellationError ? "stopped; what was restored is removed" : "\(error)"
      for failure in tell(run) { Self.logger.warning("\(failure)") }
      throw error
    }
  }

  private func drill() throws -> DrillReport {
    let live = try Library(path: path)
    let password = try job.password.map(context.password)
    let round = context.state.status(of: job).lastDrill?.round ?? 0
    var report = DrillReport()
    var obstacle: (any Error)?
    let width = 1 / Double(max(1, job.destinations.count))
    for (index, destination) in job.destinations.enumerated() where obstacle == nil {
      let start = Double(index) * width
      var result = DrillResult(destination: destination.path)
      do {
        try counter.checkCancellation()
        try destination.checkForReading()
        try drill(
          destination.path, live, password, round: round, share: start...min(1, start + width), &result)
      } catch  where saysNothingOfArchives(error) {
        obstacle = error
      } catch {
        result.isOutOfReach = error is DestinationFault
        result.failures.append(Finding(destination.path.string, message: "\(error)"))
      }
      // every photo of what was doubted has come back
      if result.isProven {
        context.cache?.trust(result.members.map { FilePath($0.path) })
        if result.isReadWhole {
          context.cache?.noteVerified(result.members.map(\.path), at: context.now().milliseconds)
        }
      }
      // what a failure casts doubt on is read again by the next backup, before it counts for anything
      if !result.failures.isEmpty { context.cache?.doubt(result.members.map { FilePath($0.path) }) }
      // of one that was not tried to its end nothing is known but what failed
      if obstacle == nil || !result.failures.isEmpty { report.results.append(result) }
    }
    if let obstacle {
      // what failed before is not forgotten
      guard report.results.contains(where: { !$0.isProven }) else { throw obstacle }
      let reason = obstacle is CancellationError ? "it was stopped" : "\(obstacle)"
      report.warnings.append("the drill went no further: \(reason)")
    }
    write(&report)
    note(&report, of: try live.uuid(), round: round + 1)
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
    case _ where ArchiveVerification.isObstacle(error): true
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
    run.outcome = report.exitCode == 0 ? .done : report.isProven ? .incomplete : .failed
    run.message =
      (failures + report.results.flatMap(\.damagedInLibrary)).first?.message
      ?? (report.isRecorded ? nil : report.warnings.first)
    run.archives = report.results.filter { $0.isProven == report.isProven }.compactMap(\.archive)
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

  // MARK: Restoring

  private func drill(
    _ folder: FilePath, _ live: Library, _ password: Secret?, round: Int, share: ClosedRange<Double>,
    _ result: inout DrillResult
  ) throws {
    // half for restoring, half for comparing
    let half = (share.lowerBound + share.upperBound) / 2
    let restored = try restore(
      from: folder, live, password, round: round, share: share.lowerBound...half, &result)
    guard let (archive, scratch) = restored else { return }
    counter.begin(half...share.upperBound)
    defer { withExtendedLifetime(scratch) {} }
    // so that nobody removes a photo between the look at the rows and that at the files
    try live.holdingPhotos(lockWait: .seconds(job.lockWait), whileWaiting: counter.waitForWriter) {
      let contents = try live.contents()
      let state = try job.plan(of: live, holding: contents, password: password).state
      let comparison = try DrillComparison(
        scratch: Library(path: scratch.path), live: live, contents: contents,
        isCurrent: archive.state == state, counter: counter)
      try comparison.run(&result)
    }
  }

  /// Restores from the newest archive in a folder.
  ///
  /// - Returns: the archive and what came of it; nil if there is none.
  private func restore(
    from folder: FilePath, _ live: Library, _ password: Secret?, round: Int, share: ClosedRange<Double>,
    _ result: inout DrillResult
  ) throws -> (ArchiveRecord, ScratchLibrary)? {
    // nobody prunes what is being restored
    let lock = try FolderLock(
      folder, exclusive: false, waiting: .seconds(job.lockWait), whileWaiting: counter.waitForWriter)
    defer { withExtendedLifetime(lock) {} }
    let catalog = try Catalog(
      folder: folder, password: password, cache: context.cache, whileReading: counter.checkCancellation)
    let own = try catalog.archives(of: job, in: live.uuid())
    let now = context.now()
    // one that was made under a clock that went ahead says nothing of today
    let found = own.last { !$0.isAhead(of: now) } ?? own.last
    let status = context.state.status(of: job)
    let copies = try status.isOf(library: path, number: live.uuid()) ? status.copies : []
    let copy = copies.first { $0.path == folder.string }
    let lost = try lost(copy, of: catalog, since: found?.isRemnant == true ? nil : found?.date, password)
    result.lost = lost?.item
    guard let newest = found else {
      // what no password opens may be what is looked for
      if let locked = catalog.archives.last(where: \.isLocked) {
        let path = FilePath(locked.path)
        throw Self.locked(path, password)
      }
      let message = "\(folder) has no archive of job “\(job.name)” and its library; make a backup first"
      result.failures.append(lost ?? Finding(folder.string, message: message))
      return nil
    }
    if let lost { result.failures.append(lost) }
    result.archive = newest.path
    result.members = try catalog.members(of: newest)
    let parts = newest.part == nil ? [newest] : result.members
    // another sample would say nothing of what failed
    let isDoubted =
      copy?.isDoubted == true || result.members.contains { context.cache?.isDoubted($0) == true }
    if isDoubted, options.sample != nil {
      result.notes.append(
        "\(newest.path): every photo was tried, since something was found wrong before".escaped)
    }
    let scratch = try ScratchLibrary(in: options.scratch, of: job.name)
    let width = (share.upperBound - share.lowerBound) / Double(parts.count)
    // of what it rests on, nothing is restored that went since
    result.isReadWhole = parts.count == result.members.count
    for (index, part) in parts.enumerated() {
      let start = share.lowerBound + Double(index) * width
      counter.begin(start...max(start, min(share.upperBound, start + width)))
      let source = try BackupSource(path: FilePath(part.path), password: password)
      let sample = isDoubted ? nil : sample(of: source, share: parts.count, round: round)
      if sample != nil { result.isReadWhole = false }
      // of what was lost in a repair the archive knows no more than of that
      for photo in source.photos where photo.wasLostBefore && !newest.isRemnant {
        result.lostBefore[photo.record.id] = photo.record.createdAt
      }
      var options = ImportOptions()
      options.password = password
      options.syncs = false
      options.photoIDs = sample
      let restore = ImportRun(library: scratch.path, options: options, counter: counter)
      let summary = try restore.run([source.path])
      result.failures += summary.errors
      result.notes += summary.warnings
      if let loss = Self.loss(of: source, sample, summary) { result.failures.append(loss) }
    }
    return (newest, scratch)
  }

  /// The archive that the last backup left in a folder, if nobody can restore from it any more: an older one that restores
  /// must not stand for it.
  ///
  /// - Parameters:
  ///   - copy: what is known of that archive.
  ///   - newest: when the newest that is there was made; nil if there is none, or not all of it could be rescued.
  /// - Throws: `BackupError.passwordNeeded` or `.wrongPassword` where it is there, and the password does not open it.
  private func lost(
    _ copy: JobStatus.Copy?, of catalog: Catalog, since newest: Int64?, _ password: Secret?
  ) throws -> Finding? {
    // another may have taken its place meanwhile
    guard let copy, newest ?? .min < copy.madeAt else { return nil }
    let archive = copy.archive
    if let there = catalog.archives.first(where: { $0.path == archive }) {
      if there.isLocked { throw Self.locked(FilePath(archive), password) }
      return nil
    }
    let reason = catalog.unreadable.first { $0.path == archive }?.reason ?? "it is gone"
    return Finding(archive, message: "\(archive), which the last backup left there: \(reason)".escaped)
  }

  private static func locked(_ path: FilePath, _ password: Secret?) -> BackupError {
    password == nil ? .passwordNeeded(path) : .wrongPassword(path)
  }

  /// Which photos are restored this time: the next ones after those of the round before, all of them in turn.
  private func sample(of source: BackupSource, share: Int, round: Int) -> Set<Int64>? {
    guard let wanted = options.sample.map({ max(1, $0 / share) }) else { return nil }
    let ids = source.photos.map(\.record.id).sorted()
    guard ids.count > wanted else { return nil }
    let start = round * wanted % ids.count
    return Set((start..<start + wanted).map { ids[$0 % ids.count] })
  }

  /// What a backup promises of a sample and what has not come back, as far as no error names it already.
  static func loss(
    of source: BackupSource, _ sample: Set<Int64>?, _ summary: ImportSummary
  ) -> Finding? {
    let promised = source.photos.count { photo in
      guard sample?.contains(photo.record.id) ?? true else { return false }
      return !photo.wasLostBefore
    }
    // photos that had rotten before the backup was made come back, and are errors all the same
    let named = summary.errors.count - source.damagedBefore.count
    let came = summary.photosImported + summary.photosSkipped
    guard came + named < promised else { return nil }
    let message = "\(source.path) promises \(promised) photos, and \(came) came back".escaped
    return Finding(source.path.string, message: message)
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
      try ReplacedFile.write(
        [UInt8](report.text(of: job, library: path, at: context.now()).utf8), as: name, in: folder)
      report.path = folder.appending(name.components)
    } catch {
      report.isRecorded = false
      report.warnings.append("the report cannot be written: \(error)")
    }
  }

  /// Notes in the job's status what came of it.
  ///
  /// - Parameter number: that of the library that was compared with.
  private func note(_ report: inout DrillReport, of number: String?, round: Int) {
    // it says nothing of the job's own
    if job.isOtherLibrary { return }
    guard context.state.status(of: job).isOf(library: path, number: number) else {
      report.isRecorded = false
      report.warnings.append(
        "\(path) is another library than the one that was last backed up, of which this drill says nothing; back this one up, "
          + "or put that one back")
      return
    }
    // of several the one that failed
    let result = report.results.first { !$0.isProven } ?? report.results.first
    let record = JobStatus.DrillRecord(
      at: context.now().milliseconds, isProven: report.isProven,
      archive: result?.lost ?? result?.archive ?? result?.destination.string ?? "",
      photos: report.results.reduce(0) { $0 + $1.proven }, round: round, report: report.path?.string)
    let errors = context.state.update(job) { status in
      status.note(library: path, number: number)
      status.lastDrill = record
      if record.isProven { status.lastProvenAt = record.at }
      for index in status.copies.indices {
        let path = status.copies[index].path
        guard let result = report.results.first(where: { $0.destination.string == path }) else { continue }
        if result.isOutOfReach {
          status.copies[index].isOutOfReach = true
        } else if result.isProven {
          guard result.archive == status.copies[index].archive else { continue }
          status.copies[index].trust()
          if result.isReadWhole { status.copies[index].note(verifiedAt: record.at) }
        } else {
          status.copies[index].doubt(since: record.at)
        }
      }
    }
    if !errors.isEmpty { report.isRecorded = false }
    report.warnings += errors.map { "the status of job \(job.name) cannot be written: \($0)" }
  }
}

extension BackupSource.Photo {
  /// Its file was lost before the backup was made, and no archive promises it.
  fileprivate var wasLostBefore: Bool {
    if case .absent(_, isDamage: false, _) = content { !isHeld } else { false }
  }
}
