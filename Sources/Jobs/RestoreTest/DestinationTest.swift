import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// Restores from the newest archive at one destination, and compares the photos with the live library.
struct DestinationTest {
  /// What a test came to.
  struct Attempt {
    /// What was found; nil if nothing is known.
    var result: RestoreTestResult?
    /// What stopped the test and says nothing about archives; nil if it reached its end.
    var obstacle: (any Error)?
  }

  let job: Job
  let destination: JobDestination
  /// The live library.
  let live: Library
  let password: Secret?
  /// The copy there that is known; nil if none is.
  let copy: JobStatus.Copy?
  /// What the last test found; nil if there was none.
  let last: JobStatus.RestoreTestRecord?
  /// The number of tests before, by which the sample rotates.
  let round: Int
  let options: RestoreTestOptions
  let context: JobContext
  let counter: ProgressCounter
  /// Returns whether an error says nothing about archives.
  let isObstacle: (any Error) -> Bool

  private var folder: FilePath { destination.path }

  /// Blocks until it is done.
  ///
  /// - Parameter share: the part of the progress that this test is.
  func run(share: ClosedRange<Double>) -> Attempt {
    do {
      try counter.checkCancellation()
      try destination.checkForReading()
    } catch {
      return attempt(failing: error)
    }
    // half for restoring, half for comparing
    let half = (share.lowerBound + share.upperBound) / 2
    do {
      let (missingCopy, restored) = try lockingFolder { () throws -> (Finding?, Restore?) in
        let found = try find()
        guard let newest = found.newest else { return (found.missingCopy, nil) }
        return (found.missingCopy, try restore(newest, from: found.inventory, share.lowerBound...half))
      }
      guard var restore = restored else {
        let reason = "\(folder) has no archive of job “\(job.name)” and its library; make a backup first"
        return Attempt(
          result: RestoreTestResult(folder, .noArchive(reason: reason), missingCopy: missingCopy))
      }
      if let photos = restore.photos {
        counter.begin(half...share.upperBound)
        restore.attempt(unless: isObstacle) { trial in try compare(photos, &trial) }
      }
      let result = RestoreTestResult(folder, .tried(restore.trial), missingCopy: missingCopy)
      // of a test that was stopped, only failures are known
      let isKnown = restore.obstacle == nil || !result.failures.isEmpty
      return Attempt(result: isKnown ? result : nil, obstacle: restore.obstacle)
    } catch {
      return attempt(failing: error)
    }
  }

  /// Keeps other processes from pruning what is being restored.
  private func lockingFolder<Result>(_ body: () throws -> Result) throws -> Result {
    let lock = try FolderLock(
      folder, exclusive: false, waiting: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock)
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  private func attempt(failing error: any Error) -> Attempt {
    if isObstacle(error) { return Attempt(obstacle: error) }
    let outcome: RestoreTestResult.Outcome =
      error is DestinationFault ? .unreachable(reason: JobMessage.text(of: error)) : .noArchive(reason: JobMessage.text(of: error))
    return Attempt(result: RestoreTestResult(folder, outcome))
  }

  // MARK: The archive

  /// Lists the folder, and finds the newest archive.
  private func find() throws -> (
    inventory: ArchiveInventory, newest: ArchiveDescriptor?, missingCopy: Finding?
  ) {
    let inventory = try ArchiveInventory(
      folder: folder, password: password, ledger: context.ledger, whileReading: counter.checkCancellation)
    let own = try inventory.archives(of: job, in: live.libraryID())
    let now = context.now()
    // an archive of a clock that was ahead does not show today's library, unless it is the newest by that clock
    let newest = own.last { !$0.isDatedAfter(now) || isKnownCopy($0) } ?? own.last
    let missing = try missingCopy(
      in: inventory, since: newest?.isPartialRecovery == true ? nil : newest?.date)
    // an archive that the password does not open may be the one
    if newest == nil, let locked = inventory.archives.last(where: \.isLocked) {
      throw lockError(locked.path)
    }
    return (inventory, newest, missing)
  }

  /// Returns whether an archive is the one that the last backup left there, and not another one of its name.
  private func isKnownCopy(_ archive: ArchiveDescriptor) -> Bool {
    archive.path == copy?.archive && archive.date == copy?.madeAt
  }

  /// Returns the archive that the last backup left in the folder, if it is missing or unreadable.
  ///
  /// - Parameter newest: the date of the newest archive there; nil if there is none, or if it is a partial recovery.
  /// - Throws: `BackupError.passwordNeeded` or `.wrongPassword` if the archive is there, and cannot be decrypted.
  private func missingCopy(in inventory: ArchiveInventory, since newest: Int64?) throws -> Finding? {
    guard let copy, newest ?? .min < copy.madeAt else { return nil }
    let archive = copy.archive
    if let there = inventory.archives.first(where: { $0.path == archive }) {
      if there.isLocked { throw lockError(archive) }
      if isKnownCopy(there) { return nil }
      let message =
        "\(archive) is not the archive that the last backup left there, but another; make a backup"
      return Finding(archive, message: message.escaped)
    }
    let reason = inventory.unreadable.first { $0.path == archive }?.reason ?? "it is missing"
    return Finding(archive, message: "\(archive), which the last backup left there: \(reason)".escaped)
  }

  private func lockError(_ path: String) -> BackupError {
    password == nil ? .passwordNeeded(FilePath(path)) : .wrongPassword(FilePath(path))
  }

  // MARK: The trial

  /// What was restored, and the photos that the archive lists without their files, since they were missing when it was
  /// made: the date of each, by ID.
  private typealias RestoredPhotos = (scratch: ScratchLibrary, missingBefore: [Int64: Int64])

  /// What restoring came to.
  private struct Restore {
    var trial: RestoreTrial
    /// What there is to compare; nil if restoring failed.
    var photos: RestoredPhotos?
    /// What stopped the trial.
    var obstacle: (any Error)?

    /// Does a part of the trial. What fails there is a failure of the archive, if it is not an obstacle.
    mutating func attempt(
      unless isObstacle: (any Error) -> Bool, _ body: (inout RestoreTrial) throws -> Void
    ) {
      do {
        try body(&trial)
      } catch  where isObstacle(error) {
        obstacle = error
      } catch {
        trial.failures.append(Finding(FilePath(trial.archive).folder.string, message: JobMessage.text(of: error)))
      }
    }
  }

  /// Restores from an archive.
  private func restore(
    _ archive: ArchiveDescriptor, from inventory: ArchiveInventory, _ share: ClosedRange<Double>
  ) throws -> Restore {
    let members: [ArchiveDescriptor]
    do {
      members = try inventory.members(of: archive)
    } catch let error where error is BrokenChain || error is IncompleteSet {
      var trial = RestoreTrial([archive], files: [], coverage: .sample)
      trial.failures = [Finding(folder.string, message: JobMessage.text(of: error))]
      return Restore(trial: trial)
    }
    let isSuspect =
      copy?.isSuspect == true || members.contains { inventory.graph.health(of: $0).isSuspect }
    var restore = Restore(
      trial: RestoreTrial(
        members, files: members.compactMap { inventory.files[$0.path] }, coverage: .sample))
    var photos: RestoredPhotos?
    restore.attempt(unless: isObstacle) { trial in
      photos = try restorePhotos(&trial, isSuspect: isSuspect, share)
    }
    restore.photos = photos
    return restore
  }

  private func restorePhotos(
    _ trial: inout RestoreTrial, isSuspect: Bool, _ share: ClosedRange<Double>
  ) throws -> RestoredPhotos {
    let archive = trial.members[0]
    let parts = archive.part == nil ? [archive] : trial.members
    let reason = reasonToRestoreAll(isSuspect: isSuspect)
    if let reason, options.sample != nil {
      trial.notes.append("\(archive.path): every photo was restored, since \(reason)".escaped)
    }
    let scratch = try ScratchLibrary(in: options.scratch, of: job.name)
    let sources = try parts.map { try OpenedBackup(path: FilePath($0.path), password: password) }
    let sample = reason == nil ? sample(of: sources) : nil
    // photos of a partial recovery that were missing before cannot be told from those that were lost in the repair
    let missing = archive.isPartialRecovery ? [] : sources.flatMap(\.photos).filter(\.wasMissingBeforeBackup)
    let width = (share.upperBound - share.lowerBound) / Double(parts.count)
    for (index, source) in sources.enumerated() {
      let chosen = sample.map { sample in source.photos.map(\.record.id).filter(sample.contains) }
      if chosen?.isEmpty == true { continue }
      let start = share.lowerBound + Double(index) * width
      counter.begin(start...max(start, min(share.upperBound, start + width)))
      var options = ImportOptions()
      options.password = password
      options.syncs = false
      options.photoIDs = chosen.map(Set.init)
      let restore = ImportRun(library: scratch.path, options: options, counter: counter)
      let summary = try restore.run([source.path])
      trial.failures += summary.errors
      trial.notes += summary.warnings
      if let loss = Self.loss(of: source, options.photoIDs, summary) { trial.failures.append(loss) }
    }
    // photos of a base that the library no longer has are not restored
    if sample == nil, parts.count == trial.members.count { trial.coverage = .all }
    return (
      scratch, Dictionary(missing.map { ($0.record.id, $0.record.createdAt) }) { first, _ in first }
    )
  }

  private func compare(_ restored: RestoredPhotos, _ trial: inout RestoreTrial) throws {
    // no process removes a photo between reading the rows and the files
    try live.withPhotoReadLock(lockWait: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock) {
      let contents = try live.contents()
      let state = try job.plan(of: live, holding: contents, password: password).state
      var comparison = RestoreComparison(
        scratch: try Library(path: restored.scratch.path), live: live, contents: contents,
        isCurrent: trial.members[0].fingerprint == state, counter: counter)
      defer { trial.comparison = comparison.result }
      let hasFailed = !trial.failures.isEmpty
      try comparison.run(missingBefore: restored.missingBefore, hasFailed: hasFailed)
    }
  }

  /// Returns why a sample is not enough; nil if it is.
  private func reasonToRestoreAll(isSuspect: Bool) -> String? {
    if isSuspect { return "it is suspect" }
    if let damaged = last?.damaged {
      return "\(Count(damaged, "photo")) of the library were found damaged"
    }
    // it may be a suspect archive of another place
    return copy == nil ? "no backup has recorded a copy there" : nil
  }

  /// Returns the photos that are restored this time: those after the sample of the round before.
  private func sample(of sources: [OpenedBackup]) -> Set<Int64>? {
    guard let wanted = options.sample else { return nil }
    let ids = sources.flatMap { $0.photos.map(\.record.id) }.sorted()
    guard ids.count > wanted else { return nil }
    let start = round * wanted % ids.count
    return Set((start..<start + wanted).map { ids[$0 % ids.count] })
  }

  /// Returns a finding if fewer photos of a sample were restored than a backup holds, and no error reports them.
  static func loss(
    of source: OpenedBackup, _ sample: Set<Int64>?, _ summary: ImportSummary
  ) -> Finding? {
    let held = source.photos.count { photo in
      guard sample?.contains(photo.record.id) ?? true else { return false }
      return !photo.wasMissingBeforeBackup
    }
    // photos that were corrupt before the backup are restored, and are errors all the same
    let reported = summary.errors.count - source.damagedBefore.count - source.leftOut.count
    let restored = summary.photosImported + summary.photosSkipped
    guard restored + reported < held else { return nil }
    let message = "\(source.path) holds \(held) photos, of which \(restored) were restored".escaped
    return Finding(source.path.string, message: message)
  }
}
