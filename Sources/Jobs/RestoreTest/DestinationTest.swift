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
  /// The outcome of a test.
  struct Attempt {
    /// The findings; nil if nothing is known.
    var result: RestoreTestResult?
    /// The error that stopped the test and says nothing about archives; nil if the test reached its end.
    var obstacle: (any Error)?
  }

  let job: Job
  let destination: JobDestination
  /// The live library.
  let live: Library
  let password: Secret?
  /// The known copy at the destination; nil if no run recorded one.
  let copy: JobStatus.Copy?
  /// The record of the last test; nil if there was none.
  let last: JobStatus.RestoreTestRecord?
  /// The number of previous tests, by which the sample rotates.
  let round: Int
  let options: RestoreTestOptions
  let context: JobContext
  let counter: ProgressCounter
  /// Returns true if an error says nothing about archives.
  let isObstacle: (any Error) -> Bool

  private var folder: FilePath { destination.path }

  /// Runs the test. Blocks.
  ///
  /// - Parameter share: the share of this test in the total progress.
  func run(share: ClosedRange<Double>) -> Attempt {
    do {
      try counter.checkCancellation()
      try destination.checkForReading()
    } catch {
      return attempt(failing: error)
    }
    // half of the progress for the restore, half for the comparison
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
      // a stopped test knows only its failures
      let isKnown = restore.obstacle == nil || !result.failures.isEmpty
      return Attempt(result: isKnown ? result : nil, obstacle: restore.obstacle)
    } catch {
      return attempt(failing: error)
    }
  }

  /// Prevents that other processes prune the archives during the restore.
  private func lockingFolder<Result>(_ body: () throws -> Result) throws -> Result {
    let lock = try FolderLock(
      folder, exclusive: false, waiting: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock)
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  private func attempt(failing error: any Error) -> Attempt {
    if isObstacle(error) { return Attempt(obstacle: error) }
    let outcome: RestoreTestResult.Outcome =
      error is DestinationFault
      ? .unreachable(reason: JobMessage.text(of: error)) : .noArchive(reason: JobMessage.text(of: error))
    return Attempt(result: RestoreTestResult(folder, outcome))
  }

  // MARK: The archive

  /// Lists the folder and finds the newest archive.
  private func find() throws -> (
    inventory: ArchiveInventory, newest: ArchiveDescriptor?, missingCopy: Finding?
  ) {
    let inventory = try ArchiveInventory(
      folder: folder, password: password, ledger: context.ledger, whileReading: counter.checkCancellation)
    let own = try inventory.archives(of: job, in: live.libraryID())
    let now = context.now()
    // an archive dated in the future does not show the current library, except if the last backup recorded it
    // with this date
    let newest = own.last { !$0.isDatedAfter(now) || isKnownCopy($0) } ?? own.last
    let missing = try missingCopy(
      in: inventory, since: newest?.isPartialRecovery == true ? nil : newest?.date)
    // the newest archive of the job may be one that the password does not decrypt
    if newest == nil, let locked = inventory.archives.last(where: \.isLocked) {
      throw lockError(locked.path)
    }
    return (inventory, newest, missing)
  }

  /// Returns true if the archive is the one that the last backup left at the destination, not another one
  /// with its name.
  private func isKnownCopy(_ archive: ArchiveDescriptor) -> Bool {
    archive.path == copy?.archive && archive.date == copy?.madeAt
  }

  /// Returns a finding if the archive of the last backup is missing, unreadable or replaced.
  ///
  /// - Parameter newest: the date of the newest archive at the destination; nil if there is none, or if it is
  ///   a partial recovery.
  /// - Throws: `BackupError.passwordNeeded` or `.wrongPassword` if the archive exists but cannot be decrypted.
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

  /// The restored photos, and the photos that the archive lists without files because the files were missing
  /// at the time of the backup. `missingBefore` has the date of each such photo by ID.
  private typealias RestoredPhotos = (scratch: ScratchLibrary, missingBefore: [Int64: Int64])

  /// The state of a restore.
  private struct Restore {
    var trial: RestoreTrial
    /// The restored photos to compare; nil if the restore failed.
    var photos: RestoredPhotos?
    /// The error that stopped the trial.
    var obstacle: (any Error)?

    /// Runs a step of the trial. An error is a failure of the archive unless it is an obstacle.
    mutating func attempt(
      unless isObstacle: (any Error) -> Bool, _ body: (inout RestoreTrial) throws -> Void
    ) {
      do {
        try body(&trial)
      } catch  where isObstacle(error) {
        obstacle = error
      } catch {
        trial.failures.append(
          Finding(FilePath(trial.archive).folder.string, message: JobMessage.text(of: error)))
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
    // in a partial recovery, photos missing before the backup cannot be told from photos lost in the repair
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
    // a base may have photos that the library has deleted since and that the restore skips
    if sample == nil, parts.count == trial.members.count { trial.coverage = .all }
    return (
      scratch, Dictionary(missing.map { ($0.record.id, $0.record.createdAt) }) { first, _ in first }
    )
  }

  private func compare(_ restored: RestoredPhotos, _ trial: inout RestoreTrial) throws {
    // no process removes a photo between the reading of rows and files
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

  /// Returns why the test must restore every photo; nil if a sample is enough.
  private func reasonToRestoreAll(isSuspect: Bool) -> String? {
    if isSuspect { return "it is suspect" }
    if let damaged = last?.damaged {
      return "\(Count(damaged, "photo")) of the library were found damaged"
    }
    // the archive may be a suspect copy from another place
    return copy == nil ? "no backup has recorded a copy there" : nil
  }

  /// Returns the sample of this test: the photos after the previous sample. Returns nil to restore all photos.
  private func sample(of sources: [OpenedBackup]) -> Set<Int64>? {
    guard let wanted = options.sample else { return nil }
    let ids = sources.flatMap { $0.photos.map(\.record.id) }.sorted()
    guard ids.count > wanted else { return nil }
    let start = round * wanted % ids.count
    return Set((start..<start + wanted).map { ids[$0 % ids.count] })
  }

  /// Returns a finding if the restore yielded fewer photos than the backup has and no error reports the loss.
  static func loss(
    of source: OpenedBackup, _ sample: Set<Int64>?, _ summary: ImportSummary
  ) -> Finding? {
    let held = source.photos.count { photo in
      guard sample?.contains(photo.record.id) ?? true else { return false }
      return !photo.wasMissingBeforeBackup
    }
    // the import reports photos that were corrupt before the backup as errors, but restores them
    let reported = summary.errors.count - source.damagedBefore.count - source.leftOut.count
    let restored = summary.photosImported + summary.photosSkipped
    guard restored + reported < held else { return nil }
    let message = "\(source.path) holds \(held) photos, of which \(restored) were restored".escaped
    return Finding(source.path.string, message: message)
  }
}
