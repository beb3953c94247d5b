import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// The part of a drill that concerns one destination: restores from the newest archive there, and compares what came
/// back.
struct DestinationDrill {
  let job: Job
  let folder: FilePath
  /// The live library.
  let live: Library
  let password: Secret?
  /// What the job knows of the copy there; nil if nothing.
  let copy: JobStatus.Copy?
  /// What the last drill found; nil if there was none.
  let last: JobStatus.DrillRecord?
  /// How many drills there were before, by which the sample rotates.
  let round: Int
  let options: DrillOptions
  let context: JobContext
  let counter: ProgressCounter

  /// Blocks until it is done.
  ///
  /// - Parameter share: of the progress of everything.
  /// - Throws: why it went no further.
  func run(share: ClosedRange<Double>, _ result: inout DrillResult) throws {
    // half for restoring, half for comparing
    let half = (share.lowerBound + share.upperBound) / 2
    guard let (archive, scratch) = try restore(share: share.lowerBound...half, &result) else { return }
    counter.begin(half...share.upperBound)
    defer { withExtendedLifetime(scratch) {} }
    // so that nobody removes a photo between the look at the rows and that at the files
    try live.withPhotoReadLock(lockWait: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock) {
      let contents = try live.contents()
      let state = try job.plan(of: live, holding: contents, password: password).state
      let comparison = try DrillComparison(
        scratch: Library(path: scratch.path), live: live, contents: contents,
        isCurrent: archive.fingerprint == state, counter: counter)
      try comparison.run(&result)
      result.isCompared = true
    }
  }

  /// Restores from the newest archive.
  ///
  /// - Returns: the archive and what came of it; nil if there is none.
  private func restore(
    share: ClosedRange<Double>, _ result: inout DrillResult
  ) throws -> (ArchiveDescriptor, ScratchLibrary)? {
    // nobody prunes what is being restored
    let lock = try FolderLock(
      folder, exclusive: false, waiting: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock)
    defer { withExtendedLifetime(lock) {} }
    let inventory = try ArchiveInventory(
      folder: folder, password: password, ledger: context.ledger, whileReading: counter.checkCancellation)
    let own = try inventory.archives(of: job, in: live.libraryID())
    let now = context.now()
    // one that was made under a clock that went ahead says nothing of today, unless there is none since
    let found = own.last { !$0.isDatedAfter(now) || isLastBackup($0) } ?? own.last
    let lost = try lost(of: inventory, since: found?.isPartialRecovery == true ? nil : found?.date)
    result.lostArchive = lost?.item
    guard let newest = found else {
      // what no password opens may be what is looked for
      if let locked = inventory.archives.last(where: \.isLocked) {
        throw lockError(locked.path)
      }
      let message = "\(folder) has no archive of job “\(job.name)” and its library; make a backup first"
      result.failures.append(lost ?? Finding(folder.string, message: message))
      return nil
    }
    if let lost { result.failures.append(lost) }
    result.archive = newest.path
    result.members = try inventory.members(of: newest)
    result.files = result.members.compactMap { inventory.files[$0.path] }
    let parts = newest.part == nil ? [newest] : result.members
    // another sample would say nothing of what failed
    result.wasSuspect =
      copy?.suspectSince != nil || result.members.contains { inventory.graph.health(of: $0).isSuspect }
    let reason = reasonToTryAll(result)
    if let reason, options.sample != nil {
      result.notes.append("\(newest.path): every photo was tried, since \(reason)".escaped)
    }
    let scratch = try ScratchLibrary(in: options.scratch, of: job.name)
    let width = (share.upperBound - share.lowerBound) / Double(parts.count)
    // of what it rests on, nothing is restored that went since
    var isReadWhole = parts.count == result.members.count
    let sources = try parts.map { try BackupSource(path: FilePath($0.path), password: password) }
    let sample = reason == nil ? sample(of: sources) : nil
    if sample != nil { isReadWhole = false }
    // of what was lost in a repair the archive knows no more than of that
    for photo in sources.flatMap(\.photos) where photo.wasLostBefore && !newest.isPartialRecovery {
      result.lostBefore[photo.record.id] = photo.record.createdAt
    }
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
      result.failures += summary.errors
      result.notes += summary.warnings
      if let loss = Self.loss(of: source, options.photoIDs, summary) { result.failures.append(loss) }
    }
    result.isReadWhole = isReadWhole
    return (newest, scratch)
  }

  /// Why a sample would not do; nil if it will.
  private func reasonToTryAll(_ result: DrillResult) -> String? {
    if result.wasSuspect { return "something was found wrong before" }
    if let damaged = last?.damaged {
      return "\(Count(damaged, "photo")) of the library were found damaged"
    }
    // it may be one that was found wrong in another place
    return copy == nil ? "nothing is known of what lies there" : nil
  }

  /// Whether it is the one that the last backup left there, and not another under its name.
  private func isLastBackup(_ archive: ArchiveDescriptor) -> Bool {
    archive.path == copy?.archive && archive.date == copy?.madeAt
  }

  /// The archive that the last backup left in a folder, if nobody can restore from it any more: an older one that restores
  /// must not stand for it.
  ///
  /// - Parameter newest: when the newest that is there was made; nil if there is none, or not all of it could be rescued.
  /// - Throws: `BackupError.passwordNeeded` or `.wrongPassword` where it is there, and the password does not open it.
  private func lost(of inventory: ArchiveInventory, since newest: Int64?) throws -> Finding? {
    // another may have taken its place meanwhile
    guard let copy, newest ?? .min < copy.madeAt else { return nil }
    let archive = copy.archive
    if let there = inventory.archives.first(where: { $0.path == archive }) {
      if there.isLocked { throw lockError(archive) }
      if isLastBackup(there) { return nil }
      let message =
        "\(archive) is not the archive that the last backup left there, but another; make a backup"
      return Finding(archive, message: message.escaped)
    }
    let reason = inventory.unreadable.first { $0.path == archive }?.reason ?? "it is gone"
    return Finding(archive, message: "\(archive), which the last backup left there: \(reason)".escaped)
  }

  private func lockError(_ path: String) -> BackupError {
    password == nil ? .passwordNeeded(FilePath(path)) : .wrongPassword(FilePath(path))
  }

  /// Which photos are restored this time: the next ones after those of the round before, all of them in turn.
  private func sample(of sources: [BackupSource]) -> Set<Int64>? {
    guard let wanted = options.sample else { return nil }
    let ids = sources.flatMap { $0.photos.map(\.record.id) }.sorted()
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
    let reported = summary.errors.count - source.damagedBefore.count - source.leftOut.count
    let came = summary.photosImported + summary.photosSkipped
    guard came + reported < promised else { return nil }
    let message = "\(source.path) promises \(promised) photos, and \(came) came back".escaped
    return Finding(source.path.string, message: message)
  }
}

extension BackupSource.Photo {
  /// Its file was lost before the backup was made, and no archive promises it.
  fileprivate var wasLostBefore: Bool {
    if case .absent(_, isDamage: false, _) = content { !isHeld } else { false }
  }
}
