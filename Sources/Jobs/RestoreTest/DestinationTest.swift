import ArchiveCatalog
import Backup
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// Restores from the newest archive at one destination, and compares the photos with the live library.
struct DestinationTest: RunPart {
  let input: RunInput
  let destination: JobDestination
  /// The live library.
  let live: Library
  let password: Secret?
  /// The known copy at the destination; nil if no run recorded one.
  let copy: JobStatus.Copy?
  /// The record of the last test; nil if there was none.
  let last: JobStatus.RestoreTestRecord?
  let options: RestoreTestOptions

  private var folder: FilePath { destination.path }

  /// Runs the test. Blocks.
  ///
  /// - Parameter report: receives the result unless nothing is known.
  /// - Throws: the error that stopped the test and says nothing about archives, even after a failed restore.
  func run(_ report: (RestoreTestResult) -> Void) throws {
    var missingCopy: Finding?
    var restore: ArchiveRestore?
    do {
      try counter.checkCancellation()
      try destination.checkForReading()
      // half of the progress for the restore, half for the comparison
      let restored = try counter.inFirstPart(0.5) {
        try lockingFolder { () throws -> RestoredPhotos? in
          let found = try find()
          missingCopy = found.missingCopy
          return try found.newest.map { try restoreArchive($0, from: found.inventory, &restore) }
        }
      }
      if let restored { try compare(restored, &restore) }
    } catch  where isInconclusive(error) {
      // a stopped test knows only its failures
      let result = restore.map {
        RestoreTestResult(destination: folder, missingCopy: missingCopy, outcome: .restored($0))
      }
      if let result, !result.failures.isEmpty { report(result) }
      throw error
    } catch {
      // before the restore, the error concerns the folder: the test has not read the archives yet
      guard let archive = restore?.archive else {
        let reason = JobMessage.text(of: error)
        return report(RestoreTestResult(destination: folder, outcome: .unreachable(reason: reason)))
      }
      restore?.failures.append(
        Finding(.folder(FilePath(archive).folder.string), message: JobMessage.text(of: error)))
    }
    let reason = "\(folder) has no archive of job “\(job.name)” for its library; run a backup"
    report(
      RestoreTestResult(
        destination: folder, missingCopy: missingCopy,
        outcome: restore.map { .restored($0) } ?? .noArchive(reason: reason)))
  }

  /// Keeps other processes from pruning the archives during the restore.
  private func lockingFolder<Result>(_ body: () throws -> Result) throws -> Result {
    let lock = try FolderLock(
      folder, exclusive: false, waiting: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock)
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  /// Returns true if an error says nothing about archives: an environment failure, a cancellation, a library or folder
  /// that is in use, or archives that cannot be decrypted. Also if the scratch folder has no space or belongs to
  /// another user.
  private func isInconclusive(_ error: any Error) -> Bool {
    if error.cause.isInconclusive || [.busy, .access, .password].contains(error.cause) { return true }
    guard let error = error as? FileError else { return false }
    return !job.destinations.contains { error.path.starts(with: $0.path) }
      && [options.scratch, live.path].contains { error.path.starts(with: $0) }
  }

  // MARK: The archive

  /// Lists the folder and finds the newest archive.
  private func find() throws -> (
    inventory: ArchiveInventory, newest: ArchiveDescriptor?, missingCopy: Finding?
  ) {
    let inventory = try ArchiveInventory(
      folder: folder, password: password, ledger: environment.ledger, whileReading: counter.checkCancellation)
    let own = try inventory.backups(ofLibrary: live.libraryID(), tags: [job.name])
    let now = now
    // an archive dated in the future does not show the current library, except if the last backup recorded it
    // with this date
    let newest = own.last { !$0.isOrderUnknown(at: now) || isKnownCopy($0) } ?? own.last
    let missing = try missingCopy(
      in: inventory, since: newest?.isPartiallyRecovered == true ? nil : newest?.order
    )
    // the newest archive of the job may be one that the password does not decrypt
    if newest == nil, let locked = inventory.archives.last(where: \.isLocked) {
      throw passwordError(locked.path)
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
  /// - Parameter newest: the order of the newest archive at the destination; nil if there is no archive, or if it is
  ///   a partial recovery.
  /// - Throws: `BackupError.passwordNeeded` or `.wrongPassword` if the archive exists but cannot be decrypted.
  private func missingCopy(in inventory: ArchiveInventory, since newest: Int64?) throws -> Finding? {
    guard let copy, newest ?? .min < copy.order else { return nil }
    let archive = copy.archive
    if let there = inventory.archives.first(where: { $0.path == archive }) {
      if there.isLocked { throw passwordError(archive) }
      if isKnownCopy(there) { return nil }
      let message =
        "\(archive) is not the archive that the last backup wrote there; run a backup"
      return Finding(.file(archive), message: message.escaped)
    }
    let fault = inventory.unreadable.first { $0.path == archive }
    let message =
      fault.map { "\($0.reason); the last backup wrote this archive" }
      ?? "the last backup wrote \(archive), which is missing"
    return Finding(.file(archive), message: message.escaped)
  }

  private func passwordError(_ path: String) -> BackupError {
    password == nil ? .passwordNeeded(FilePath(path)) : .wrongPassword(FilePath(path))
  }

  // MARK: The restore

  /// The restored photos, and the photos that the archive lists without files because the files were missing
  /// at the time of the backup. `missingBefore` has the date of each such photo by ID.
  private typealias RestoredPhotos = (scratch: ScratchLibrary, missingBefore: [Int64: Timestamp])

  /// Restores from an archive.
  ///
  /// - Parameter restore: receives the results, even if this throws.
  /// - Throws: `BrokenChain` or `IncompleteSet` if an archive is missing; an error that stopped the restore.
  private func restoreArchive(
    _ archive: ArchiveDescriptor, from inventory: ArchiveInventory, _ restore: inout ArchiveRestore?
  ) throws -> RestoredPhotos {
    restore = ArchiveRestore(members: [archive], files: [], coverage: .sample)
    let members = try inventory.members(of: archive)
    var result = ArchiveRestore(
      members: members, files: members.compactMap { inventory.files[$0.path] }, coverage: .sample)
    defer { restore = result }
    let isSuspect =
      copy?.health.isSuspect == true || members.contains { inventory.graph.health(of: $0).isSuspect }
    return try importPhotos(&result, isSuspect: isSuspect)
  }

  private func importPhotos(_ restore: inout ArchiveRestore, isSuspect: Bool) throws -> RestoredPhotos {
    let archive = restore.members[0]
    let parts = archive.part == nil ? [archive] : restore.members
    let reason = reasonToRestoreAll(isSuspect: isSuspect)
    if let reason, options.sample != nil {
      restore.notes.append("all photos of \(archive.path) were restored, because \(reason)".escaped)
    }
    let scratch = try ScratchLibrary(in: options.scratch, of: job.name)
    let sources = try parts.map { part in
      try OpenedBackup(path: FilePath(part.path), limits: .trusted, password: password)
    }
    let sample = reason == nil ? sample(of: sources) : nil
    // in a partial recovery, photos missing before the backup cannot be told from photos lost in the repair
    let missing =
      archive.isPartiallyRecovered ? [] : sources.flatMap(\.photos).filter(\.isExpectedInNoArchive)
    for (source, share) in zip(sources, counter.parts(sources.count)) {
      let chosen = sample.map { sample in source.photos.map(\.record.id).filter(sample.contains) }
      if chosen?.isEmpty == true { continue }
      counter.begin(share)
      var importOptions = ImportOptions()
      importOptions.password = password
      importOptions.limits = .trusted
      importOptions.syncs = false
      importOptions.photoIDs = chosen.map(Set.init)
      let importRun = ImportRun(library: scratch.path, options: importOptions, counter: counter)
      let summary = try importRun.run([source.path])
      restore.failures += summary.errors
      restore.notes += summary.warnings
      if let shortfall = Self.shortfall(of: source, importOptions.photoIDs, summary) {
        restore.failures.append(shortfall)
      }
    }
    // a base may have photos that the library has deleted since and that the restore skips
    if sample == nil, parts.count == restore.members.count { restore.coverage = .all }
    return (
      scratch, Dictionary(missing.map { ($0.record.id, $0.record.createdAt) }) { first, _ in first }
    )
  }

  private func compare(_ restored: RestoredPhotos, _ result: inout ArchiveRestore?) throws {
    guard var restore = result else { return }
    defer { result = restore }
    // no process removes a photo between the reading of rows and files
    try live.withPhotoReadLock(lockWait: .seconds(job.lockWait), whileWaiting: counter.reportWaitingForLock) {
      let contents = try live.contents()
      let fingerprint = try job.forecast(of: live, contents: contents, password: password).fingerprint
      var comparison = RestoreComparison(
        scratch: try Library(path: restored.scratch.path), live: live, contents: contents,
        isCurrent: restore.members[0].fingerprint == fingerprint, counter: counter)
      defer { restore.comparison = comparison.result }
      let hasFailed = !restore.failures.isEmpty
      try comparison.run(missingBefore: restored.missingBefore, hasFailed: hasFailed)
    }
  }

  /// Returns why the test must restore every photo; nil if a sample is enough.
  private func reasonToRestoreAll(isSuspect: Bool) -> String? {
    if isSuspect { return "the archive is suspect" }
    if let damaged = last?.damaged {
      return "\(Count(damaged, "photo of the library was", "photos of the library were")) found damaged"
    }
    // the archive may be a suspect copy from another place
    return copy == nil ? "no backup has recorded a copy there" : nil
  }

  /// Returns the sample of this test: the photos after the previous sample. Returns nil to restore all photos.
  private func sample(of sources: [OpenedBackup]) -> Set<Int64>? {
    guard let wanted = options.sample else { return nil }
    let ids = sources.flatMap { $0.photos.map(\.record.id) }.sorted()
    guard ids.count > wanted else { return nil }
    // the sample rotates
    let start = (last?.round ?? 0) * wanted % ids.count
    return Set((start..<start + wanted).map { ids[$0 % ids.count] })
  }

  /// Returns a finding if the import does not account for all photos of the backup.
  static func shortfall(
    of source: OpenedBackup, _ sample: Set<Int64>?, _ summary: ImportSummary
  ) -> Finding? {
    let expected = source.photos.count { sample?.contains($0.record.id) ?? true }
    let restored = summary.photosImported + summary.photosSkipped
    // the import reports the photos that it did not import
    guard restored + summary.photosNotImported < expected else { return nil }
    let message =
      "\(source.path) contains \(Count(expected, "photo")), and only \(restored) could be restored".escaped
    return Finding(.file(source.path.string), message: message)
  }
}
